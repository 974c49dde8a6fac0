# SPDX-License-Identifier: Apache-2.0
"""Every translated estimator of scikit-learn against itself, on rows with noise and on rows where
trees split.
"""

import warnings

import numpy as np
import pytest
from _translate import Column, NotTranslatable, translate
from onnx_evaluator import Model
from people import asked, columns, people
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

NUMBERS, TEXTS = ["age", "income"], ["city", "housing"]
LOGISTIC = LogisticRegression(max_iter=1000)
TREE = DecisionTreeClassifier(max_depth=4, random_state=0)
FOREST = RandomForestClassifier(9, random_state=0)


def encoded(numbers=None, texts=None, **more):
    return ColumnTransformer(
        [
            ("n", numbers or StandardScaler(), NUMBERS),
            ("t", texts or OneHotEncoder(handle_unknown="ignore"), TEXTS),
        ],
        remainder="passthrough",
        **more,
    )


def own_scores(model, rows):
    if hasattr(model, "predict_proba"):
        return model.predict_proba(rows)[:, 1]
    return model.decision_function(rows)


def check(model, rows, frame, bits=False):
    """The translation's scores; with `bits` they have to be the same numbers."""
    translation = translate(model, columns(frame))
    found = Model(translation.data).run(rows)
    expected = own_scores(model, rows)
    cut = 0.5 if translation.choices["score"] == "probability" else 0.0
    assert ((found > cut) != (expected > cut)).sum() == 0
    np.testing.assert_allclose(found, expected, rtol=0 if bits else 1e-9, atol=0 if bits else 1e-9)
    return translation


CLASSIFIERS = {
    "logistic": LOGISTIC,
    "ridge": RidgeClassifier(),
    "linear_svc": LinearSVC(random_state=0),
    "sgd": SGDClassifier(loss="log_loss", random_state=0),
    "sgd_huber": SGDClassifier(loss="modified_huber", random_state=0),
    "sgd_hinge": SGDClassifier(random_state=0),
    "lda": LinearDiscriminantAnalysis(),
    "gaussian_nb": GaussianNB(),
    "bernoulli_nb": BernoulliNB(binarize=0.3),
    "qda": QuadraticDiscriminantAnalysis(reg_param=0.1),
    "mlp": MLPClassifier((5, 3), max_iter=150, random_state=0),
    "mlp_tanh": MLPClassifier((4,), activation="tanh", max_iter=150, random_state=0),
    "svc": SVC(),
    "svc_linear": SVC(kernel="linear"),
    "svc_poly": SVC(kernel="poly", degree=2, coef0=1.0),
    "svc_sigmoid": SVC(kernel="sigmoid", gamma=0.1),
    "gradient_boosting": GradientBoostingClassifier(n_estimators=10, random_state=0),
    "exponential": GradientBoostingClassifier(n_estimators=8, loss="exponential", random_state=0),
    "boosting_from_zero": GradientBoostingClassifier(n_estimators=8, init="zero", random_state=0),
    "ada_boost": AdaBoostClassifier(n_estimators=12, random_state=0),
    "bagging": BaggingClassifier(LOGISTIC, 3, max_features=0.7, random_state=0),
    "bagging_votes": BaggingClassifier(LinearSVC(random_state=0), 3, random_state=0),
    "voting": VotingClassifier([("l", LOGISTIC), ("t", TREE)], voting="soft", weights=[2, 1]),
    "stacking": StackingClassifier([("l", LOGISTIC), ("f", FOREST)], cv=2, passthrough=True),
    "sigmoid": CalibratedClassifierCV(LOGISTIC, cv=2),
    "sigmoid_forest": CalibratedClassifierCV(FOREST, cv=2),
    "isotonic": CalibratedClassifierCV(LinearSVC(random_state=0), method="isotonic", cv=2),
    "isotonic_forest": CalibratedClassifierCV(FOREST, method="isotonic", cv=2),
    "search": GridSearchCV(LOGISTIC, {"C": [0.1, 1.0]}, cv=2),
    "selected": make_pipeline(SelectKBest(k=4), LOGISTIC),
    "components": make_pipeline(PCA(3, whiten=True), LOGISTIC),
}
EXACT = {
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": FOREST,
    "extra_trees": ExtraTreesClassifier(9, random_state=0),
    "bagging_trees": BaggingClassifier(TREE, 7, max_features=0.8, random_state=0),
}


@pytest.fixture(scope="module")
def data():
    frame, target = people()
    warnings.simplefilter("ignore")
    return frame, target, asked(frame)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(data, name):
    frame, target, rows = data
    check(make_pipeline(encoded(), CLASSIFIERS[name]).fit(frame, target), rows, frame)


@pytest.mark.parametrize("name", EXACT)
def test_votes_of_trees_are_the_same_numbers(data, name):
    frame, target, rows = data
    check(make_pipeline(encoded(), EXACT[name]).fit(frame, target), rows, frame, bits=True)


@pytest.mark.filterwarnings("ignore")
def test_hard_votes_decide_as_the_library_does(data):
    frame, target, rows = data
    members = [
        ("l", LOGISTIC),
        ("t", TREE),
        ("n", GaussianNB()),
        ("d", DecisionTreeClassifier(max_depth=1)),
    ]
    model = make_pipeline(encoded(sparse_threshold=0), VotingClassifier(members)).fit(frame, target)
    translation = translate(model, columns(frame))
    assert translation.choices == {"score": "logit"}
    np.testing.assert_array_equal(Model(translation.data).run(rows) > 0, model.predict(rows) == 1)


def test_probabilities_of_support_vector_machines(data):
    """LIBSVM refines the probabilities of two classes by iterating, up to .005 / 2: the program
    does the same.
    """
    frame, target, rows = data
    model = make_pipeline(encoded(), SVC(probability=True, random_state=0)).fit(frame, target)
    translation = translate(model, columns(frame))
    np.testing.assert_allclose(
        Model(translation.data).run(rows), own_scores(model, rows), atol=5e-3
    )
    assert translation.choices == {"score": "probability", "decision": "label"}
    label = Model(translation.data).run(rows, output=1)
    np.testing.assert_array_equal(label, model.predict(rows))
    assert any("predict()" in note for note in translation.notes)


@pytest.mark.slow
def test_hist_boosting_compares_in_double_precision(data):
    frame, target, rows = data
    front = ColumnTransformer([("t", OrdinalEncoder(), TEXTS)], remainder="passthrough")
    model = make_pipeline(front, HistGradientBoostingClassifier(max_iter=12, random_state=0)).fit(
        frame, target
    )
    check(model, rows, frame)
    thresholds = np.concatenate([one[0].nodes["num_threshold"] for one in model[-1]._predictors])
    on_splits = rows.assign(income=np.resize(thresholds[thresholds > 500], len(rows)))
    check(model, on_splits, frame)
    check(model, on_splits.assign(income=np.nextafter(on_splits.income, np.inf)), frame)


def test_hist_boosting_with_categories_as_codes(data):
    """Codes are categories here; what was not seen in training goes where missing values go."""
    frame, target, rows = data
    codes = {"city": ["3", "11", "7", "200"], "housing": ["1", "2", "0"]}

    def coded(table):
        return table.assign(
            city=table.city.map(
                dict(zip(["Basel", "Chur", "Genf", "Zug"], map(float, codes["city"]), strict=False))
            ),
            housing=table.housing.map(
                dict(zip(["own", "rent", "free"], map(float, codes["housing"]), strict=False))
            ),
            member=table.member.astype(float),
        )

    model = HistGradientBoostingClassifier(max_iter=15, categorical_features=[2, 3], random_state=0)
    seen = coded(frame[frame.city != "Zug"])
    model.fit(seen, target[frame.city != "Zug"])
    described = [
        Column("age"),
        Column("income"),
        Column("city", "category", values=[3.0, 11.0, 7.0, 200.0]),
        Column("housing", "category", values=[1.0, 2.0, 0.0]),
        Column("member"),
    ]
    asked_rows = coded(rows)
    found = Model(translate(model, described).data).run(asked_rows)
    np.testing.assert_allclose(found, own_scores(model, asked_rows), rtol=0, atol=1e-12)
    with pytest.raises(NotTranslatable, match=r"'(city|housing)' as a category.*type category"):
        translate(model, [Column(one.name) for one in described])


PREPARATIONS = {
    "min_max": encoded(MinMaxScaler(clip=True)),
    "max_abs": encoded(MaxAbsScaler()),
    "robust": encoded(RobustScaler()),
    "dropped": encoded(texts=OneHotEncoder(drop="first")),
    "infrequent": encoded(
        texts=OneHotEncoder(min_frequency=20, handle_unknown="infrequent_if_exist")
    ),
    "ordinal": encoded(texts=OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)),
    "ordinal_scaled": encoded(texts=make_pipeline(OrdinalEncoder(), StandardScaler())),
    "imputed": encoded(
        make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()),
        make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()),
    ),
    "positions": ColumnTransformer(
        [
            ("n", "passthrough", slice(0, 2)),
            ("t", OneHotEncoder(), [2]),
            ("b", StandardScaler(), [-1]),
        ]
    ),
    "mask": ColumnTransformer([("n", StandardScaler(), [True, True, False, False, False])]),
    "selector": ColumnTransformer(
        [
            ("n", StandardScaler(), make_column_selector(dtype_include="number")),
            ("nothing", StandardScaler(), []),
        ],
        remainder=OneHotEncoder(),
    ),
    "union": make_pipeline(
        encoded(sparse_threshold=0), FeatureUnion([("a", MinMaxScaler()), ("b", PCA(2))])
    ),
    "identity": make_pipeline(FunctionTransformer(), encoded()),
    "sparse_scaled": make_pipeline(encoded(), MaxAbsScaler(), StandardScaler(with_mean=False)),
    "bins": encoded(KBinsDiscretizer(4)),
    "bins_ordinal": encoded(KBinsDiscretizer(4, encode="ordinal"), OrdinalEncoder()),
    "polynomial": encoded(make_pipeline(StandardScaler(), PolynomialFeatures(2))),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PREPARATIONS)
def test_preparations(data, name):
    frame, target, rows = data
    for last in (LOGISTIC, FOREST):
        check(make_pipeline(PREPARATIONS[name], last).fit(frame, target), rows, frame)


def test_one_hot_columns_of_numbers(data):
    frame, target, rows = data
    front = ColumnTransformer(
        [
            ("n", OneHotEncoder(handle_unknown="ignore"), ["age"]),
            ("m", OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-3), ["income"]),
        ]
    )
    check(make_pipeline(front, MaxAbsScaler(), LOGISTIC).fit(frame, target), rows, frame)


def test_missing_numbers_are_imputed(data):
    frame, target, rows = data
    holes = rows.assign(
        age=rows.age.where(rows.age > 40), income=rows.income.where(rows.index % 3 > 0)
    )
    trained = frame.assign(age=frame.age.where(frame.age > 25))
    for strategy in ("mean", "median", "constant"):
        front = encoded(SimpleImputer(strategy=strategy, add_indicator=True))
        check(make_pipeline(front, LOGISTIC).fit(trained, target), holes, frame)


def test_single_precision_columns_stay_single(data):
    frame, target, rows = data
    numbers = frame[NUMBERS].astype(np.float32)
    model = make_pipeline(StandardScaler(), FOREST).fit(numbers, target)
    check(model, rows[NUMBERS].astype(np.float32), numbers, bits=True)


def test_columns_are_found_by_name(data):
    frame, target, rows = data
    model = make_pipeline(encoded(), LOGISTIC).fit(frame, target)
    shuffled = translate(model, columns(frame)[::-1])
    np.testing.assert_allclose(Model(shuffled.data).run(rows), own_scores(model, rows), atol=1e-12)
    assert shuffled.classes == [0, 1]


def test_multinomial_bayes_counts(data):
    frame, target, rows = data
    model = MultinomialNB().fit(frame[NUMBERS], target)
    check(model, rows[NUMBERS], frame[NUMBERS])


def test_thresholds_of_ones_own_decide_the_label(data):
    selection = pytest.importorskip("sklearn.model_selection")
    if not hasattr(selection, "FixedThresholdClassifier"):
        pytest.skip("scikit-learn 1.5 or later")
    frame, target, rows = data
    for inner, method, cut in (
        (LOGISTIC, "predict_proba", 0.3),
        (LOGISTIC, "decision_function", -1.5),
        (FOREST, "auto", 0.4),
    ):
        wrapped = selection.FixedThresholdClassifier(inner, threshold=cut, response_method=method)
        model = make_pipeline(encoded(), wrapped).fit(frame, target)
        translation = translate(model, columns(frame))
        assert translation.choices == {"score": "probability", "decision": "label"}
        label = Model(translation.data).run(rows, output=1)
        np.testing.assert_array_equal(label, model.predict(rows))
        assert (label != (own_scores(model, rows) > 0.5)).any()


@pytest.mark.filterwarnings("ignore")
def test_calibration_by_temperature(data):
    frame, target, rows = data
    for inner in (LOGISTIC, FOREST):
        calibrated = CalibratedClassifierCV(inner, method="temperature", cv=2)
        model = make_pipeline(encoded(), calibrated)
        try:
            model.fit(frame, target)
        except ValueError:
            pytest.skip("scikit-learn 1.8 or later")
        check(model, rows, frame)


def test_levels_that_an_encoder_refuses_are_noted(data):
    frame, target, _ = data
    model = make_pipeline(encoded(texts=OneHotEncoder()), LOGISTIC).fit(
        frame[frame.city != "Zug"], target[frame.city != "Zug"]
    )
    assert any("'Zug' of 'city'" in note for note in translate(model, columns(frame)).notes)


def refused(model, described):
    with pytest.raises(NotTranslatable) as error:
        translate(model, described)
    return error.value.reason


@pytest.mark.filterwarnings("ignore")
def test_reasons(data):
    frame, target, _ = data
    named = columns(frame)
    doubled = FunctionTransformer(np.log1p)
    assert "calls the Python function 'log1p'" in refused(
        make_pipeline(encoded(doubled), LOGISTIC).fit(frame, target), named
    )
    assert "step 'kneighborsclassifier': KNeighborsClassifier has no translation" in refused(
        make_pipeline(encoded(), KNeighborsClassifier()).fit(frame, target), named
    )
    assert "3 classes; croco explains two" in refused(
        make_pipeline(encoded(), LOGISTIC).fit(frame, np.arange(len(frame)) % 3), named
    )
    assert "columns that the data do not have: income" in refused(
        make_pipeline(encoded(), LOGISTIC).fit(frame, target), named[:1] + named[2:]
    )
    assert "fit it first" in refused(LogisticRegression(), named)
    assert "still has texts such as 'Basel'" in refused(
        FOREST.fit(frame[[*NUMBERS, "member"]], target),
        [Column("age"), Column("income"), Column("member", "category", values=["Basel", "Chur"])],
    )
    kernel = SVC(kernel=lambda a, b: a @ b.T, max_iter=5).fit(frame[NUMBERS], target)
    assert "Python code" in refused(kernel, columns(frame[NUMBERS]))


class OwnScaler(StandardScaler):
    """A class that nothing is known of."""


def test_classes_of_the_user_are_not_guessed(data):
    frame, target, _ = data
    model = make_pipeline(encoded(OwnScaler()), LOGISTIC).fit(frame, target)
    assert "OwnScaler is a class of your own" in refused(model, columns(frame))
