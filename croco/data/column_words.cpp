// SPDX-License-Identifier: Apache-2.0
#include <croco/data/column_words.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace croco {
namespace {

using Words = std::vector<std::string>;

bool is_capital(char letter) noexcept { return letter >= 'A' && letter <= 'Z'; }
bool is_small(char letter) noexcept { return letter >= 'a' && letter <= 'z'; }

/// The runs of letters of a name, in small letters, also parted by capitals: "CustomerID2" is
/// "customer" and "id", "IDNumber" is "id" and "number".
Words words_of(std::string_view name) {
  Words words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char letter = name[i];
    const bool capital = is_capital(letter);
    if (!capital && !is_small(letter)) {
      finish();
      continue;
    }
    const bool after_small = i > 0 && is_small(name[i - 1]);
    const bool before_small =
        i > 0 && is_capital(name[i - 1]) && i + 1 < name.size() && is_small(name[i + 1]);
    if (capital && (after_small || before_small)) finish();
    word += capital ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  finish();
  return words;
}

std::string together(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += word;
  return text;
}

bool any_is(const Words& words, std::span<const std::string_view> known) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(known, word) != known.end();
  });
}

bool any_begins(const Words& words, std::span<const std::string_view> stems) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::any_of(stems,
                               [&](std::string_view stem) { return word.starts_with(stem); });
  });
}

bool holds_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

bool names_the_protected(std::string_view name) {
  constexpr std::string_view kWords[] = {
      "age",      "ages",    "agegroup", "ageyears", "agerange",  "agecat",   "agebin",   "sex",
      "male",     "males",   "man",      "men",      "woman",     "women",    "race",     "races",
      "racial",   "black",   "white",    "asian",    "african",   "latino",   "latina",   "latinx",
      "indian",   "native",  "origin",   "color",    "colour",    "caste",    "tribe",    "tribal",
      "ancestry", "birth",   "born",     "dob",      "yob",       "citizen",  "faith",    "muslim",
      "jewish",   "hindu",   "catholic", "buddhist", "christian", "disabled", "handicap", "veteran",
      "gay",      "lesbian", "lgbt",     "lgbtq",    "marital",   "married",  "divorced", "widowed",
      "widow",    "spouse",  "pronouns", "elderly",  "foreigner"};
  // Found within a word too, as in "isfemale" and "ethnicgroup": no other words hold them.
  constexpr std::string_view kStems[] = {
      "female",  "gender",     "ethn",      "hispan",      "caucasian", "nationalit", "citizenship",
      "religio", "disabilit",  "pregnan",   "immigra",     "sexual",    "aboriginal", "indigenous",
      "birthda", "birthplace", "birthyear", "handicapped", "nwhite",    "minorit"};
  // Of words that mean it together only, parted or not: "foreign_worker", "foreignworker".
  constexpr std::string_view kCompounds[] = {
      "nationalorigin", "countryofbirth", "birthcountry",  "dateofbirth",   "yearofbirth",
      "placeofbirth",   "foreignworker",  "foreignborn",   "nativecountry", "africanamerican",
      "seniorcitizen",  "civilstatus",    "maritalstatus", "ismale",        "isblack",
      "iswhite",        "isasian",        "ismarried",     "transgender"};
  const Words words = words_of(name);
  const std::string text = together(words);
  // On its own it is a marital status; "single_payment" is none.
  if (text == "single" || text == "issingle" || text == "unmarried") return true;
  return any_is(words, kWords) || holds_any(text, kCompounds) ||
         std::ranges::any_of(words,
                             [&](const std::string& word) { return holds_any(word, kStems); });
}

bool names_an_identifier(std::string_view name) {
  // The last word says what a name means: "id_type" is no identifier, and neither is the last word
  // of "consumer price index".
  constexpr std::string_view kLastWords[] = {"id",       "ids",      "uuid",  "guid",
                                             "ssn",      "iban",     "email", "phone",
                                             "passport", "username", "rowid", "rownames"};
  constexpr std::string_view kEndings[] = {"unnamed",
                                           "socialsecurity",
                                           "socialsecuritynumber",
                                           "accountnumber",
                                           "accountno",
                                           "customernumber",
                                           "customerno",
                                           "clientnumber",
                                           "casenumber",
                                           "policynumber",
                                           "passportnumber",
                                           "licensenumber",
                                           "referencenumber",
                                           "loannumber",
                                           "rownumber",
                                           "applicationnumber",
                                           "phonenumber",
                                           "personalnumber",
                                           "recordnumber",
                                           "fullname",
                                           "firstname",
                                           "lastname",
                                           "surname",
                                           "emailaddress",
                                           "taxnumber",
                                           "customerid",
                                           "clientid",
                                           "memberid",
                                           "personid",
                                           "loanid",
                                           "userid",
                                           "accountid"};
  const Words words = words_of(name);
  if (words.empty()) return false;
  const std::string text = together(words);
  return any_is({words.back()}, kLastWords) || text == "index" || text == "idx" ||
         std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return text.ends_with(ending); });
}

bool names_a_place_code(std::string_view name) {
  constexpr std::string_view kParts[] = {"zipcode",  "postcode", "postalcode", "zip",    "areacode",
                                         "fips",     "tract",    "state",      "county", "country",
                                         "province", "district", "region"};
  const Words words = words_of(name);
  const std::string text = together(words);
  return std::ranges::any_of(kParts, [&](std::string_view part) {
    return text == part || (!words.empty() && words.back() == part);
  });
}

bool names_the_unwanted(std::string_view name) {
  constexpr std::string_view kStems[] = {
      "deny",   "deni",     "declin", "reject",   "refus",    "default",  "bad",      "fraud",
      "churn",  "attrit",   "exited", "risk",     "delinq",   "dlq",      "arrear",   "overdue",
      "late",   "bankrupt", "insolv", "foreclos", "charge",   "writeoff", "recid",    "reoffen",
      "arrest", "convict",  "crime",  "violat",   "death",    "dead",     "died",     "deceas",
      "mortal", "disease",  "cancer", "malign",   "diabet",   "stroke",   "fail",     "fault",
      "defect", "spam",     "attack", "anomal",   "cancel",   "quit",     "turnover", "readmi",
      "infect", "sick",     "loss",   "npl",      "unemploy", "drop",     "toxic",    "hospital",
      "delay",  "complain", "injur",  "accident", "relaps",   "evict",    "adverse",  "phish"};
  constexpr std::string_view kParts[] = {"default", "delinq",   "fraud",
                                         "churn",   "bankrupt", "recidiv"};
  const Words words = words_of(name);
  return any_begins(words, kStems) || holds_any(together(words), kParts);
}

}  // namespace croco
