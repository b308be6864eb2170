// A route that refuses clients by their User-Agent.

#include "gateway/steps/walk.hpp"
#include "unit/gateway/path/path.hpp"

#include "headgate/observe/access_fields.hpp"

namespace headgate::gateway::test {
namespace {

class PathRefuseClients : public Path {
 protected:
  PathRefuseClients() { route.refuse_clients = {"old-sdk/1.0", "old-sdk/1.1"}; }
  std::string_view refused_in_the_log() const {
    observe::AccessRecord record;
    record_steps(x, record);
    return record.refused_client;
  }
  static constexpr std::string_view kOld = "User-Agent: old-sdk/1.0\r\n";
};

TEST_F(PathRefuseClients, RefusesAListedClientBeforeLimitsAndCountsIt) {
  in_memory("things", "10/hour");
  check("GET /a", kOld);
  EXPECT_EQ(client.status, 403U);
  EXPECT_EQ(x.ended_by, EndedBy::bad_request);
  EXPECT_EQ(left("things"), 10U);
  EXPECT_EQ(metric("headgate_refused_clients_total{route=\"things\"}"), "1");
  EXPECT_EQ(refused_in_the_log(), "old-sdk/1.0");
}

TEST_F(PathRefuseClients, PassesOtherClientsAndThoseWithoutAName) {
  check("GET /a", "User-Agent: old-sdk/1.2\r\n");
  EXPECT_EQ(client.status, 200U);
  ask_again("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(metric("headgate_refused_clients_total{route=\"things\"}"), "0");
  EXPECT_EQ(refused_in_the_log(), "");
}

TEST_F(PathRefuseClients, TellsInExplainThatTheClientIsRefused) {
  const auto told = explain("GET /a", kOld);
  EXPECT_EQ(told.status, 403U);
  EXPECT_EQ(besides(told, "client_is_refused"), "old-sdk/1.0");
  EXPECT_EQ(besides(explain("GET /a"), "client_is_refused"), "");
}

}  // namespace
}  // namespace headgate::gateway::test
