#include "blackbox/harness/doors.hpp"

#include "blackbox/harness/imported.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace headgate::test {
namespace {

struct Knocked {
  int status = 0;
  std::size_t seen = 0;  ///< requests that the server got
};

Knocked knock(const Door& door, const std::string& file_name) {
  const FakeUpstream app;
  const TemporaryFile file("", file_name);
  const auto folder = std::filesystem::path(file.path()).parent_path().string();
  std::ofstream(file.path()) << put_in_place(put_in_place(door.text, "APP", std::to_string(app.port())), "DIR", folder);
  std::ofstream(folder + "/users") << "ann:$apr1$abcdefgh$0123456789abcdefghijk.\n";
  const auto ran = run_headgate({"import", file.path()});
  EXPECT_LE(ran.code, 1) << ran.err;
  SCOPED_TRACE(ran.err + ran.out);
  auto config = Json::parse(ran.out, nullptr, true, true);
  config["listen"] = "127.0.0.1:0";
  config["admin"] = "off";
  config["workers"] = 1;
  const Gateway gateway(config);
  RawClient client(gateway.port());
  EXPECT_TRUE(client.send(request(door.method, door.target, door.fields)));
  const auto status = client.read().status();
  return {status, app.request_count()};
}

}  // namespace

void expect_closed(const Door& door, const std::string& file_name) {
  const auto got = knock(door, file_name);
  EXPECT_TRUE(got.status >= 400 && got.status != 429 && got.status != 502) << "the answer was " << got.status;
  EXPECT_EQ(got.seen, 0U) << "a server got the request";
}

void expect_open(const Door& door, const std::string& file_name) {
  const auto got = knock(door, file_name);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.seen, 1U);
}

}  // namespace headgate::test
