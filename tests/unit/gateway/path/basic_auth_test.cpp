// Names and passwords on the path, where passwords are checked at once.

#include "unit/gateway/path/path.hpp"

#include "headgate/core/base64.hpp"
#include "headgate/gateway/assumed_caller.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class BasicAuthPath : public Path {
 protected:
  BasicAuthPath() {
    identity.user_files = {"users.htpasswd"};
    users = identity::Users({{"ann", "$2y$04$YsYHolJpTs2HZo6Be5aG9.dGzxgn9M2H5vDz1KHwGIu3BTQhGjyHm"},
                             {"ben", "$2y$04$nUSLM/iq3YW.Yvi2XqryD.nvEMiTUF95whUfA...XEgbr9W4XUhma"}});
    basic.realm = "the \"inner\" place";
    use_basic();
  }
  void use_basic() { route.basic = std::make_shared<const BasicAuth>(basic); }
  void fail_at_most(std::uint64_t times) {
    identity.failures.emplace();
    identity.failures->rate = {times, std::chrono::minutes(1)};
    identity.failures->burst = times;
  }
  static std::string shown(const std::string& credentials) {
    return "Authorization: Basic " + base64(credentials) + "\r\n";
  }
  unsigned status_of(const std::string& fields) {
    check_again("GET /a", fields);
    return client.status;
  }
  void check_again(std::string_view line, const std::string& fields) {
    asked_ ? ask_again(line, fields) : check(line, fields);
    asked_ = true;
  }
  /// What the log says is wrong with the credential.
  std::string said() const {
    const auto& results = x.caller.auth_results;
    return results.empty() ? "" : std::string(observe::to_text(results.back().result));
  }

  BasicAuth basic;

 private:
  bool asked_ = false;
};

TEST_F(BasicAuthPath, AsksForANameAndAPassword) {
  check("GET /a");
  EXPECT_EQ(client.status, 401U);
  EXPECT_EQ(client.fields["WWW-Authenticate"], R"(Basic realm="the \"inner\" place", charset="UTF-8")");
  EXPECT_EQ(to_text(x.ended_by), "auth");
  EXPECT_EQ(said(), "missing");
  EXPECT_TRUE(app->report.targets.empty());
}

TEST_F(BasicAuthPath, LetsInWhoKnowsThePassword) {
  check("GET /a", shown("ann:wonderland"));
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.user, "ann");
  EXPECT_EQ(said(), "ok");
  EXPECT_THAT(app->report.head, Not(HasSubstr("uthorization")));
}

TEST_F(BasicAuthPath, RefusesEveryOtherPassword) {
  for (const auto* const credentials :
       {"ann:Wonderland", "ann:", "ann:open sesame", "ben:wonderland", "carl:wonderland", ":wonderland",
        "ann :wonderland", "Ann:wonderland", "ann:wonderland "}) {
    EXPECT_EQ(status_of(shown(credentials)), 401U) << credentials;
    EXPECT_EQ(said(), "refused");
    EXPECT_EQ(x.user, "");
  }
  EXPECT_TRUE(app->report.targets.empty());
}

TEST_F(BasicAuthPath, ReadsTheSchemeInAnyCaseAndNothingElse) {
  EXPECT_EQ(status_of("authorization: BASIC  " + base64("ann:wonderland") + "\r\n"), 200U);
  EXPECT_EQ(status_of("Authorization: Bearer " + base64("ann:wonderland") + "\r\n"), 401U);
  EXPECT_EQ(said(), "missing");
  EXPECT_EQ(status_of("Authorization: Basic\r\n"), 401U);
  EXPECT_EQ(said(), "malformed");
  EXPECT_EQ(status_of("Authorization: Basic YW5u*\r\n"), 401U);
  EXPECT_EQ(said(), "malformed");
  EXPECT_EQ(status_of(shown("ann")), 401U);
  EXPECT_EQ(said(), "malformed");
  EXPECT_EQ(status_of(shown(std::string("ann:wonderland\0x", 16))), 401U);
  EXPECT_EQ(said(), "malformed");
}

TEST_F(BasicAuthPath, RefusesTwoCredentials) {
  EXPECT_EQ(status_of(shown("ann:wonderland") + shown("ben:open sesame")), 400U);
  EXPECT_EQ(said(), "ambiguous");
  EXPECT_TRUE(app->report.targets.empty());
}

TEST_F(BasicAuthPath, PassesThePasswordOnIfTheRouteSaysSo) {
  basic.pass_on = true;
  use_basic();
  EXPECT_EQ(status_of(shown("ann:wonderland")), 200U);
  EXPECT_THAT(app->report.head, HasSubstr("Authorization: Basic " + base64("ann:wonderland")));
}

TEST_F(BasicAuthPath, TellsTheServerWhoItIsAndNothingThatTheCallerSays) {
  EditOptions edits;
  edits.request_fields.push_back({.name = "X-User", .value = {{TextPart::Kind::user, {}}}});
  edits.request_fields.push_back({.name = "Authorization", .value = {{TextPart::Kind::literal, "Bearer inner"}}});
  route.edits = std::make_shared<const EditOptions>(edits);
  EXPECT_EQ(status_of(shown("ben:open sesame") + "X-User: root\r\nx_user: root\r\n"), 200U);
  EXPECT_THAT(app->report.head, HasSubstr("X-User: ben\n"));
  EXPECT_THAT(app->report.head, HasSubstr("Authorization: Bearer inner\n"));
  EXPECT_THAT(app->report.head, Not(HasSubstr("root")));
}

TEST_F(BasicAuthPath, CountsEachUserAfterThePasswordWasFoundToBeRight) {
  limit_by("basic.user", "per-user", "1/hour");
  EXPECT_EQ(status_of(shown("ann:guess")), 401U);
  EXPECT_EQ(status_of(shown("ann:wonderland")), 200U);
  EXPECT_EQ(status_of(shown("ann:wonderland")), 429U);
  EXPECT_EQ(status_of(shown("ben:open sesame")), 200U);
}

TEST_F(BasicAuthPath, CountsGuessesOfAnAddressAndThenTellsItNothing) {
  fail_at_most(3);
  EXPECT_EQ(status_of(shown("ann:wonderland")), 200U);
  for (const auto* const guess : {"ann:a", "nobody:b", "ann:c"}) EXPECT_EQ(status_of(shown(guess)), 401U) << guess;
  EXPECT_EQ(status_of(shown("ann:d")), 429U);
  EXPECT_EQ(said(), "limited");
  EXPECT_EQ(status_of(shown("ben:open sesame")), 429U) << "not checked";
  EXPECT_EQ(status_of(shown("ann:wonderland")), 429U) << "else a guess that is right would be told from the others";
  clock.advance(std::chrono::minutes(1));
  EXPECT_EQ(status_of(shown("ann:wonderland")), 200U);
}

TEST_F(BasicAuthPath, DoesNotCountAWrongPasswordTwice) {
  fail_at_most(2);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(status_of(shown("ann:old password")), 401U);
  EXPECT_EQ(status_of(shown("ben:open sesame")), 200U);
  clock.advance(seconds(59));
  EXPECT_EQ(status_of(shown("ann:old password")), 401U);
}

TEST_F(BasicAuthPath, ForgetsWhatWasRightAfterTenMinutes) {
  fail_at_most(1);
  EXPECT_EQ(status_of(shown("ann:wonderland")), 200U);
  clock.advance(std::chrono::minutes(10));
  EXPECT_EQ(status_of(shown("ann:guess")), 401U);
  EXPECT_EQ(status_of(shown("ann:wonderland")), 429U) << "it would have to be checked";
}

TEST_F(BasicAuthPath, ChecksNothingThatALimitByAddressRefuses) {
  in_memory("per-ip", "1/hour");
  EXPECT_EQ(status_of(shown("ann:wonderland")), 200U);
  EXPECT_EQ(status_of(shown("ben:open sesame")), 429U);
  EXPECT_TRUE(x.caller.auth_results.empty());
}

TEST_F(BasicAuthPath, KnowsNobodyInAnEmptyFile) {
  users = {};
  EXPECT_EQ(status_of(shown("ann:wonderland")), 401U);
  EXPECT_EQ(status_of(shown(":")), 401U);
}

TEST_F(BasicAuthPath, ExplainsWithoutAPasswordWhatItWouldDo) {
  const auto known = explain("GET /a", shown("ann:whatever"));
  EXPECT_EQ(known.status, 0U);
  EXPECT_EQ(known.user, "ann");
  EXPECT_EQ(besides(known, "password_decides_too"), "true") << "it was not checked";
  EXPECT_EQ(explain("GET /a", shown("carl:wonderland")).status, 401U);
  EXPECT_EQ(explain("GET /a").status, 401U);
  EXPECT_EQ(status_of(shown("ann:wonderland")), 200U);
  EXPECT_EQ(status_of(shown("ann:guess")), 401U);
  const auto remembered = explain("GET /a", shown("ann:wonderland"));
  EXPECT_EQ(besides(remembered, "password_decides_too"), "");
  EXPECT_EQ(remembered.user, "ann");
  EXPECT_EQ(explain("GET /a", shown("ann:guess")).status, 401U);
}

TEST_F(BasicAuthPath, ShowsAUsersRemainingPermitsOnlyWithThePassword) {
  options.usage = "/left";
  limit_by("basic.user", "per-user", "9/hour");
  const auto left_for = [this](const std::string& credentials) {
    check_again("GET /left?path=/a", credentials);
    return client.status;
  };
  for (const std::string& credentials : {std::string(), shown("ann:guess"), shown("ann:wonderland"), shown("carl:x")})
    EXPECT_EQ(left_for(credentials), 401U) << credentials;
  EXPECT_EQ(status_of(shown("ann:wonderland")), 200U);
  EXPECT_EQ(left_for(shown("ann:wonderland")), 200U) << "remembered";
  EXPECT_THAT(client.body, HasSubstr("per-user"));
  EXPECT_EQ(left_for(shown("ann:guess")), 401U);
}

TEST_F(BasicAuthPath, AnswersCallsOfGrpcAsSuch) {
  version = 20;
  check_again("POST /service/Method", "Content-Type: application/grpc\r\n");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(client.fields["grpc-status"], "16");
}

TEST_F(BasicAuthPath, BelievesNoAssumedUserWhereItServes) {
  const AssumedCaller assumed{.user = "ann"};
  x.assumed = &assumed;
  check("GET /a");
  EXPECT_EQ(client.status, 401U);
}

TEST_F(BasicAuthPath, KeepsNoNameForTheNextRequest) {
  EXPECT_EQ(status_of(shown("ann:wonderland")), 200U);
  EXPECT_EQ(status_of(""), 401U);
  EXPECT_EQ(x.user, "");
}

}  // namespace
}  // namespace headgate::gateway::test
