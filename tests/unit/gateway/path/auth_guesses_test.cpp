// Guesses at an auth service: what they cost an address, also if their client does not wait for the answer.

#include "unit/gateway/path/auth_service.hpp"

namespace headgate::gateway::test {
namespace {

/// Two failed attempts an hour, and a service that takes a second.
class AuthGuessesPath : public AuthServicePath {
 protected:
  AuthGuessesPath() {
    identity.failures = identity::FailureLimit{.rate = {2, std::chrono::hours(1)}, .burst = 2};
    service().head_after = seconds(1);
    says(401);
  }
  void ask(const std::string& credential, std::string_view more = {}) {
    const auto fields = "Authorization: Basic " + credential + "\r\n" + std::string(more);
    gateway == nullptr ? check("GET /a", fields) : ask_again("GET /a", fields);
  }
  void answered() {
    clock.advance(seconds(1));
    ASSERT_TRUE(done);
  }
  void expect_none_left() {
    const auto before = asked();
    ask("another");
    EXPECT_TRUE(done);
    EXPECT_EQ(client.status, 429U);
    EXPECT_EQ(asked(), before);
  }
};

TEST_F(AuthGuessesPath, ChargesAClientThatLeavesBeforeTheAnswer) {
  for (const auto* const guess : {"one", "two"}) {
    ask(guess);
    leave();
    clock.advance(Duration(1));
    ASSERT_TRUE(done);
  }
  expect_none_left();
}

TEST_F(AuthGuessesPath, ChargesAClientWhoseOwnDeadlineComesFirst) {
  for (const auto* const guess : {"one", "two"}) {
    const auto at = std::chrono::duration<double>(clock.wall().time_since_epoch()).count() + 0.5;
    ask(guess, "X-Request-Deadline: " + std::to_string(at) + "\r\n");
    clock.advance(milliseconds(501));
    ASSERT_TRUE(done);
    EXPECT_EQ(x.ended_by, EndedBy::deadline);
  }
  expect_none_left();
}

TEST_F(AuthGuessesPath, ChargesNothingIfTheServiceWasNotSentTheQuestion) {
  service().connect_after = seconds(1);
  for (int i = 0; i < 5; ++i) {
    ask("guess-" + std::to_string(i));
    leave();
    clock.advance(seconds(1));
    ASSERT_TRUE(done);
  }
  EXPECT_EQ(asked(), 0U);
  service().connect_after = Duration(0);
  ask("right");
  EXPECT_EQ(asked(), 1U);
  answered();
}

TEST_F(AuthGuessesPath, GivesBackWhatWasRight) {
  says(200);
  for (int i = 0; i < 5; ++i) {
    ask("user-" + std::to_string(i));
    answered();
    EXPECT_EQ(client.status, 200U) << i;
  }
}

TEST_F(AuthGuessesPath, GivesBackIfTheServiceFailsOrRefusesForAnotherReason) {
  for (const unsigned status : {403U, 500U, 404U, 403U, 500U}) {
    says(status);
    ask("user-" + std::to_string(status));
    answered();
    EXPECT_NE(client.status, 429U);
  }
  service().head_after = seconds(60);
  for (int i = 0; i < 3; ++i) {
    ask("late-" + std::to_string(i));
    clock.advance(seconds(2));
    ASSERT_TRUE(done);
    EXPECT_EQ(client.status, 503U) << "the time of the service is over, and not that of the caller";
  }
}

TEST_F(AuthGuessesPath, ChecksACredentialThatWasRightEvenIfTheAddressHasNoAttemptLeft) {
  says(200);
  ask("ann");
  answered();
  says(401);
  for (const auto* const guess : {"one", "two"}) {
    ask(guess);
    answered();
  }
  expect_none_left();
  says(200);
  ask("ann");
  answered();
  EXPECT_EQ(client.status, 200U);
}

TEST_F(AuthGuessesPath, ChargesWhoWasRightAndIsNotAnyMore) {
  says(200);
  ask("ann");
  answered();
  says(401);
  ask("ann");
  answered();
  ask("one");
  answered();
  expect_none_left();
}

TEST_F(AuthGuessesPath, KeepsThePermitOfALimitOnRefusalsThatIsAvoided) {
  in_memory("refusals", "3/hour").counted_statuses = {401};
  ask("one");
  leave();
  clock.advance(Duration(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("refusals"), 2U);
  says(200);
  ask("right");
  answered();
  EXPECT_EQ(left("refusals"), 2U) << "an admission costs nothing";
}

}  // namespace
}  // namespace headgate::gateway::test
