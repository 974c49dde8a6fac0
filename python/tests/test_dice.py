# SPDX-License-Identifier: Apache-2.0
"""DiCE's interface: its programs run with the import changed, and what is not supported says so."""

import json

import applicants
import numpy as np
import pandas as pd
import pytest

import croco
import croco.compat.dice_ml as dice_ml

NUMBERS = ["income", "debt"]


@pytest.fixture(scope="module")
def loans(people):
    """Training data with their label, as DiCE takes them."""
    table = people.astype({"job": object}).drop(columns="telephone").reset_index(drop=True)
    return table.assign(loan=np.asarray(applicants.score(people) > 0.5, dtype=int))


class Classifier:
    """Of scikit-learn's interface, and quick: a function gives the probability of class 1."""

    classes_ = np.array([0, 1])

    def __init__(self, score):
        self.score = score

    def predict_proba(self, X):
        return np.column_stack([1 - self.score(X), self.score(X)])

    def predict(self, X):
        return (self.score(X) > 0.5).astype(int)


@pytest.fixture(scope="module")
def classifier():
    return Classifier(lambda X: applicants.score(X.assign(telephone=False)))


@pytest.fixture(scope="module")
def dice(loans, classifier):
    d = dice_ml.Data(dataframe=loans, continuous_features=NUMBERS, outcome_name="loan")
    m = dice_ml.Model(model=classifier, backend="sklearn")
    return dice_ml.Dice(d, m, method="random", noise={"income": 50})


@pytest.fixture(scope="module")
def query(loans, classifier):
    features = loans.drop(columns="loan")
    return features[classifier.predict(features) == 0].head(2)


@pytest.fixture(scope="module")
def explained(dice, query):
    return dice.generate_counterfactuals(query, total_CFs=2, desired_class="opposite")


def test_counterfactuals_are_as_dice_has_them(explained, query, classifier, loans):
    assert len(explained.cf_examples_list) == 2
    for examples in explained.cf_examples_list:
        frame = examples.final_cfs_df
        assert list(frame.columns) == list(loans.columns)
        assert list(frame.dtypes) == list(loans.dtypes)
        assert len(frame) == 2
        assert list(classifier.predict(frame.drop(columns="loan"))) == [1, 1]
        assert list(frame["loan"]) == [1, 1]
    assert explained.cf_examples_list[1].test_instance_df.iloc[0]["income"] == query.iloc[1].income


def test_every_counterfactual_has_a_certificate(explained):
    for certificates in explained.certificates:
        assert len(certificates) == 2
        assert all(one.upper <= 0.05 and one.samples > 0 for one in certificates)
    assert [result.status for result in explained.croco] == [["found", "found"]]
    assert explained.croco[0].to_json().count('"croco_certificate"') == 4


def test_results_are_printed(explained, capsys):
    explained.visualize_as_dataframe(show_only_changes=True)
    text = capsys.readouterr().out
    assert text.count("Query instance (original outcome : 0)") == 2
    assert "Counterfactual set with certificates (new outcome: 1)" in text
    assert " - " in text and "99.9 % confidence" in text
    explained.visualize_as_list()
    assert "[" in capsys.readouterr().out


def test_json_is_of_dices_format(explained):
    stated = json.loads(explained.to_json())
    assert stated["metadata"] == {"version": "2.0"}
    assert [len(one) for one in stated["cfs_list"]] == [2, 2]
    real = pytest.importorskip("dice_ml.counterfactual_explanations")
    read = real.CounterfactualExplanations.from_json(explained.to_json())
    frame = explained.cf_examples_list[0].final_cfs_df
    assert read.cf_examples_list[0].final_cfs_df.values.tolist() == frame.values.tolist()


def test_croco_certifies_what_the_shim_gave(explained, query, loans, classifier):
    explainer = croco.Explainer(classifier, loans.drop(columns="loan"), noise={"income": 50})
    assert explainer.certify(query, explained).status == ["found", "found"]


@pytest.mark.slow
def test_rows_of_both_classes_get_their_opposite(dice, loans, classifier):
    features = loans.drop(columns="loan")
    answers = classifier.predict(features)
    mixed = pd.concat([features[answers == 1].head(1), features[answers == 0].head(1)])
    result = dice.generate_counterfactuals(mixed, total_CFs=1)
    assert [one.test_pred for one in result.cf_examples_list] == [1, 0]
    assert [one.final_cfs_df["loan"].iat[0] for one in result.cf_examples_list] == [0, 1]
    assert len(result.croco) == 2


def test_the_desired_class_may_be_there_already(dice, loans, classifier, capsys):
    features = loans.drop(columns="loan")
    accepted = features[classifier.predict(features) == 1].head(1)
    result = dice.generate_counterfactuals(accepted, total_CFs=1, desired_class=1)
    assert result.cf_examples_list[0].final_cfs_df is None
    result.visualize_as_dataframe()
    assert "No counterfactuals found! The row has the desired class already." in (
        capsys.readouterr().out
    )


@pytest.mark.slow
def test_a_counterfactual_that_misses_the_target_says_so(loans, classifier, query, capsys):
    d = dice_ml.Data(dataframe=loans, continuous_features=NUMBERS, outcome_name="loan")
    m = dice_ml.Model(model=classifier, backend="sklearn")
    dice = dice_ml.Dice(d, m, noise={"income": 3000}, target_rate=0.001)
    result = dice.generate_counterfactuals(query.head(1), 1, features_to_vary=["income"])
    examples = result.cf_examples_list[0]
    assert result.croco[0].status == ["unmet"]
    assert list(examples.final_cfs_df["loan"]) == [1]
    assert examples.certificates[0].upper > 0.001 and examples.answers[0].target_met is False
    result.visualize_as_dataframe()
    assert "the target of at most 0.1 % failures is not met" in capsys.readouterr().out


def test_features_to_vary_and_permitted_range(dice, query, loans):
    result = dice.generate_counterfactuals(
        query, total_CFs=1, features_to_vary=["income", "job"],
        permitted_range={"income": [0, 4500], "job": ["nurse"]},
    )  # fmt: skip
    found = [one for one in result.cf_examples_list if one.final_cfs_df is not None]
    assert found
    for one in found:
        after, before = one.final_cfs_df.iloc[0], one.test_instance_df.iloc[0]
        assert after["debt"] == before["debt"] and after["housing"] == before["housing"]
        assert after["income"] <= 4500
        assert after["job"] in (before["job"], "nurse")


def test_what_nobody_can_change_moves_only_when_named(loans):
    table = loans.rename(columns={"debt": "age"})
    features = table.drop(columns="loan")

    young = Classifier(lambda X: 1 / (1 + np.exp(np.asarray(X["age"], dtype=float) - 5)))
    d = dice_ml.Data(dataframe=table, continuous_features=["income", "age"], outcome_name="loan")
    dice = dice_ml.Dice(d, dice_ml.Model(model=young, backend="sklearn"), noise={"age": 0.1})
    old = features[features["age"] > 8].head(1)
    nothing = dice.generate_counterfactuals(old, total_CFs=1).cf_examples_list[0]
    assert nothing.final_cfs_df is None and "no admissible change" in nothing.reason
    named = dice.generate_counterfactuals(old, total_CFs=1, features_to_vary=["age"])
    assert named.cf_examples_list[0].final_cfs_df["age"].iat[0] < 5


def test_numbers_that_are_no_continuous_features_are_categories(loans):
    table = loans.assign(rooms=(loans.index % 3) + 1)

    rooms = Classifier(lambda X: 1 / (1 + np.exp(4 * (2.5 - np.asarray(X["rooms"], dtype=float)))))
    d = dice_ml.Data(dataframe=table, continuous_features=NUMBERS, outcome_name="loan")
    dice = dice_ml.Dice(d, dice_ml.Model(model=rooms, backend="sklearn"), noise={"income": 50})
    one = table.drop(columns="loan")[table["rooms"] == 1].head(1)
    frame = dice.generate_counterfactuals(one, total_CFs=1).cf_examples_list[0].final_cfs_df
    assert frame["rooms"].iat[0] == 3 and frame["rooms"].dtype == table["rooms"].dtype


def test_a_dict_is_a_query_and_the_seed_makes_it_again(dice, query):
    person = query.iloc[0].to_dict()
    once = dice.generate_counterfactuals(person, total_CFs=1, random_seed=4)
    again = dice.generate_counterfactuals([person], total_CFs=1, random_seed=4)
    assert once.croco[0].to_json() == again.croco[0].to_json()


def test_a_function_before_the_model(loans, classifier, query):
    seen = []

    def prepare(frame, data_interface, tag):
        seen.append((tag, data_interface.outcome_name))
        return frame

    d = dice_ml.Data(dataframe=loans, continuous_features=NUMBERS, outcome_name="loan")
    m = dice_ml.Model(model=classifier, backend="sklearn", func=prepare, kw_args={"tag": 1})
    result = dice_ml.Dice(d, m, noise={"income": 50}).generate_counterfactuals(query.head(1), 1)
    assert result.cf_examples_list[0].final_cfs_df is not None
    assert set(seen) == {(1, "loan")}


def test_torch_modules_on_encoded_data(loans, query, tmp_path):
    torch = pytest.importorskip("torch")
    d = dice_ml.Data(dataframe=loans, continuous_features=NUMBERS, outcome_name="loan")
    encoded = d.encoded(loans)
    assert encoded.shape == (len(loans), 2 + 2 + 3)
    assert encoded.min() == 0 and encoded.max() == 1
    assert (encoded[:, 2:4].sum(axis=1) == 1).all()
    module = torch.nn.Sequential(torch.nn.Linear(7, 1), torch.nn.Sigmoid())
    with torch.no_grad():
        module[0].weight[:] = torch.tensor([[9.0, -5, 1, 0, 0, 1, 0]])
        module[0].bias[:] = -4.0
    torch.save(module, tmp_path / "model.pth")
    options = {"backend": "PYT", "func": "ohe-min-max"}
    results = [
        dice_ml.Dice(d, m, method="gradient", noise={"income": 50}).generate_counterfactuals(
            query.head(1), total_CFs=1, desired_class=1
        )
        for m in (
            dice_ml.Model(model=module, **options),
            dice_ml.Model(model_path=str(tmp_path / "model.pth"), **options),
        )
    ]
    frames = [result.cf_examples_list[0].final_cfs_df for result in results]
    assert frames[0].equals(frames[1])
    score = module(torch.as_tensor(d.encoded(frames[0])))
    assert float(score) > 0.5


REFUSED = {
    "private data": (
        lambda d, m, q: dice_ml.Data(features={"age": [17, 90]}, outcome_name="loan"),
        r"Data: 'dataframe' is missing; croco needs the training data.*private data",
    ),
    "argument of data": (
        lambda d, m, q: dice_ml.Data(dataframe=d.data_df, continous_features=[]),
        r"Data: 'continous_features' is not supported; did you mean 'continuous_features'\?",
    ),
    "outcome": (
        lambda d, m, q: dice_ml.Data(dataframe=d.data_df, continuous_features=[], outcome_name="y"),
        r"Data: outcome_name is 'y', which is no column of the dataframe",
    ),
    "continuous": (
        lambda d, m, q: dice_ml.Data(
            dataframe=d.data_df, continuous_features=["incomes"], outcome_name="loan"
        ),
        r"Data: continuous_features has 'incomes', which is no feature; did you mean 'income'\?",
    ),
    "backend": (
        lambda d, m, q: dice_ml.Model(model=m.model, backend="TF1"),
        r"Model: backend 'TF1' is not supported; it must be one of 'sklearn', 'PYT', 'TF2'",
    ),
    "regressor": (
        lambda d, m, q: dice_ml.Model(model=m.model, backend="sklearn", model_type="regressor"),
        r"Model: model_type 'regressor' is not supported; croco explains decisions",
    ),
    "func": (
        lambda d, m, q: dice_ml.Model(model=m.model, backend="sklearn", func="label"),
        r"Model: func is 'label'; it must be 'ohe-min-max' or a function of a DataFrame",
    ),
    "no model": (
        lambda d, m, q: dice_ml.Model(backend="sklearn"),
        r"Model: give a trained model, or model_path",
    ),
    "method": (
        lambda d, m, q: dice_ml.Dice(d, m, method="grid"),
        r"Dice: method is 'grid'; it must be one of .*'random'",
    ),
    "argument of Dice": (
        lambda d, m, q: dice_ml.Dice(d, m, targetrate=0.1),
        r"Dice: 'targetrate' is not supported; did you mean 'target_rate'\?",
    ),
    "weights": (
        lambda d, m, q: dice_ml.Dice(d, m).generate_counterfactuals(q, 1, proximity_weight=0.5),
        r"'proximity_weight' is not supported; it belongs to DiCE's own search.*leave it out",
    ),
    "stopping": (
        lambda d, m, q: dice_ml.Dice(d, m).generate_counterfactuals(q, 1, stopping_threshold=0.8),
        r"stopping_threshold is 0.8, which is not supported.*target_rate",
    ),
    "class": (
        lambda d, m, q: dice_ml.Dice(d, m).generate_counterfactuals(q, 1, desired_class=2),
        r"desired_class is 2; it must be 'opposite', or one of the classes 0 and 1",
    ),
    "vary": (
        lambda d, m, q: dice_ml.Dice(d, m).generate_counterfactuals(q, 1, features_to_vary=["inc"]),
        r"features_to_vary has 'inc', which is no feature",
    ),
    "range": (
        lambda d, m, q: dice_ml.Dice(d, m).generate_counterfactuals(
            q, 1, permitted_range={"income": [9, 1]}
        ),
        r"permitted_range of 'income' is \[9, 1\]; of a number it is \[lowest, highest\]",
    ),
    "level": (
        lambda d, m, q: dice_ml.Dice(d, m).generate_counterfactuals(
            q, 1, permitted_range={"job": ["pirate"]}
        ),
        r"permitted_range of 'job' has 'pirate', which is none of its levels \('clerk'",
    ),
    "label in the query": (
        lambda d, m, q: dice_ml.Dice(d, m).generate_counterfactuals(q.assign(loan=0), 1),
        r"query_instances still has the label 'loan'; leave it out",
    ),
    "other name": (lambda d, m, q: dice_ml.Dicee, r"has no 'Dicee'; it has"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_supported_is_refused(name, dice, query):
    action, text = REFUSED[name]
    kinds = (croco.CrocoError, AttributeError)
    with pytest.raises(kinds, match=text):
        action(dice.data_interface, dice.model, query)


README = """
from dice_ml.utils import helpers # helper functions
from sklearn.model_selection import train_test_split

dataset = helpers.load_adult_income_dataset()
target = dataset["income"] # outcome variable
train_dataset, test_dataset, _, _ = train_test_split(dataset,
                                                     target,
                                                     test_size=0.2,
                                                     random_state=0,
                                                     stratify=target)
# Dataset for training an ML model
d = dice_ml.Data(dataframe=train_dataset,
                 continuous_features=['age', 'hours_per_week'],
                 outcome_name='income')

# Pre-trained ML model
m = dice_ml.Model(model_path=dice_ml.utils.helpers.get_adult_income_modelpath(),
                  backend='TF2', func="ohe-min-max")
# DiCE explanation instance
exp = dice_ml.Dice(d,m)

# Generate counterfactual examples
query_instance = test_dataset.drop(columns="income")[0:1]
dice_exp = exp.generate_counterfactuals(query_instance, total_CFs=4, desired_class="opposite")
# Visualize counterfactual explanation
dice_exp.visualize_as_dataframe()
"""


def adult(count=2000):
    """Rows like those that DiCE's helper downloads, with all of its levels."""
    random = np.random.default_rng(5)
    levels = {
        "workclass": ["Government", "Other/Unknown", "Private", "Self-Employed"],
        "education": ["Assoc", "Bachelors", "Doctorate", "HS-grad", "Masters", "Prof-school",
                      "School", "Some-college"],
        "marital_status": ["Divorced", "Married", "Separated", "Single", "Widowed"],
        "occupation": ["Blue-Collar", "Other/Unknown", "Professional", "Sales", "Service",
                       "White-Collar"],
        "race": ["Other", "White"], "gender": ["Female", "Male"],
    }  # fmt: skip
    columns = {"age": random.integers(17, 91, count)}
    columns |= {name: random.choice(values, count) for name, values in levels.items()}
    columns["hours_per_week"] = random.integers(1, 100, count)
    return pd.DataFrame({**columns, "income": random.integers(0, 2, count)})


@pytest.mark.slow
def test_the_example_of_dices_readme(monkeypatch, capsys):
    """The lines of its README, on its own model; its data set is not downloaded."""
    pytest.importorskip("tensorflow")
    real = pytest.importorskip("dice_ml")
    helpers = pytest.importorskip("dice_ml.utils.helpers")
    monkeypatch.setattr(helpers, "load_adult_income_dataset", adult)
    names = {"dice_ml": dice_ml}
    exec(README, names)
    frame = names["dice_exp"].cf_examples_list[0].final_cfs_df
    assert 1 <= len(frame) <= 4
    score = names["m"].as_explained(names["d"])(frame.drop(columns="income"))
    assert list(score > 0.5) == list(frame["income"] == 1)
    assert len(names["dice_exp"].certificates[0]) == len(frame)
    assert "Query instance (original outcome : " in capsys.readouterr().out
    # The data are encoded as DiCE encodes them.
    d = real.Data(dataframe=names["train_dataset"], outcome_name="income",
                  continuous_features=["age", "hours_per_week"])  # fmt: skip
    theirs = d.get_ohe_min_max_normalized_data(names["query_instance"]).to_numpy(dtype=float)
    np.testing.assert_allclose(names["d"].encoded(names["query_instance"]), theirs, atol=1e-6)
