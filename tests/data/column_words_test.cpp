// SPDX-License-Identifier: Apache-2.0
#include <croco/data/column_words.hpp>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(ColumnWords, KnowsWhatNoAdviceShouldTouch) {
  for (const char* name : {"age",
                           "Age",
                           "AGE",
                           "age_in_years",
                           "CustomerAge",
                           "age2",
                           "AgeGroup",
                           "agegroup",
                           "applicant sex",
                           "sex",
                           "Sex_Code",
                           "gender",
                           "GENDER_CD",
                           "male",
                           "Male",
                           "is_male",
                           "ismale",
                           "female",
                           "is_female",
                           "isfemale",
                           "personal_status_sex",
                           "race",
                           "RACE",
                           "race_African-American",
                           "racial_group",
                           "black",
                           "White",
                           "asian",
                           "hispan",
                           "hispanic",
                           "Hispanic.Latino",
                           "latino",
                           "african_american",
                           "AfricanAmerican",
                           "ethnicity",
                           "ethnic_group",
                           "EthnicGroup",
                           "color",
                           "skin_colour",
                           "nationality",
                           "Nationality",
                           "national_origin",
                           "native-country",
                           "nativecountry",
                           "country_of_birth",
                           "foreign_worker",
                           "foreignworker",
                           "ForeignWorker",
                           "citizen",
                           "citizenship_status",
                           "SeniorCitizen",
                           "immigrant",
                           "date-of-birth",
                           "dob",
                           "BirthYear",
                           "birthyear",
                           "religion",
                           "religious",
                           "muslim",
                           "caste",
                           "disability",
                           "disabled",
                           "has_disability",
                           "handicapped",
                           "veteran",
                           "pregnant",
                           "Pregnancies",
                           "sexual_orientation",
                           "married",
                           "marital.status",
                           "MaritalStatus",
                           "divorced",
                           "single",
                           "is_single",
                           "nwhite",
                           "non_white",
                           "minority",
                           "ethn"}) {
    EXPECT_TRUE(names_the_protected(name)) << name;
  }
}

TEST(ColumnWords, WordsThatOnlyHoldSuchANameAreOthers) {
  for (const char* name : {"wage",
                           "mileage",
                           "average_balance",
                           "trace",
                           "Essex",
                           "stage",
                           "package_category",
                           "wage_group",
                           "storage_bin",
                           "average_years",
                           "this_panel",
                           "blacklisted",
                           "manager",
                           "mentor",
                           "whitespace",
                           "income",
                           "trans_amount",
                           "horsepower",
                           "foreign_transactions",
                           "national_bank",
                           "education",
                           "hours_per_week",
                           "maleficent",
                           "original_amount",
                           "origination_fee",
                           "disable_autopay",
                           "terrace",
                           "embrace",
                           "single_payment",
                           "skin_thickness"}) {
    EXPECT_FALSE(names_the_protected(name)) << name;
  }
}

TEST(ColumnWords, KnowsIdentifiers) {
  for (const char* name : {"id",
                           "ID",
                           "Id",
                           "customer_id",
                           "customerID",
                           "CustomerId",
                           "LoanID",
                           "loanid",
                           "uuid",
                           "GUID",
                           "ssn",
                           "SSN",
                           "Unnamed: 0",
                           "index",
                           "account_number",
                           "AccountNumber",
                           "Social Security Number",
                           "iban",
                           "email",
                           "phone_number",
                           "last_name",
                           "rownames",
                           "RowNumber"}) {
    EXPECT_TRUE(names_an_identifier(name)) << name;
  }
  for (const char* name :
       {"paid", "id_type", "id_verified", "consumer_price_index", "cons.price.idx",
        "number_of_accounts", "bid", "humid", "name_length", "residence", ""}) {
    EXPECT_FALSE(names_an_identifier(name)) << name;
  }
}

TEST(ColumnWords, KnowsPlaceCodes) {
  for (const char* name : {"zip", "ZIP", "zip_code", "ZipCode", "postcode", "home_zip", "state",
                           "home_county", "Region"}) {
    EXPECT_TRUE(names_a_place_code(name)) << name;
  }
  for (const char* name : {"zipper", "code", "zip_income", "stateur", "state_tax", ""}) {
    EXPECT_FALSE(names_a_place_code(name)) << name;
  }
}

TEST(ColumnWords, KnowsLabelsThatNameBadNews) {
  for (const char* name : {"deny",         "Delayed > 15 min",
                           "complaint",    "denied",
                           "denial",       "default",
                           "Default",      "defaulted",
                           "loan_default", "default.payment.next.month",
                           "bad",          "BAD",
                           "BadLoan",      "bad_flag",
                           "fraud",        "is_fraud",
                           "isFraud",      "fraudulent",
                           "churn",        "Churn",
                           "churned",      "attrition",
                           "Exited",       "risk",
                           "credit_risk",  "delinquent",
                           "delinq_2yrs",  "SeriousDlqin2yrs",
                           "rejected",     "two_year_recid",
                           "bankrupt",     "charged_off",
                           "late_payment", "failed",
                           "death_event"}) {
    EXPECT_TRUE(names_the_unwanted(name)) << name;
  }
  for (const char* name : {"y", "class", "target", "label", "approved", "accepted", "good",
                           "income", "identity", "survived", "admitted", "density"}) {
    EXPECT_FALSE(names_the_unwanted(name)) << name;
  }
}

}  // namespace
}  // namespace croco
