// No spelling of a path avoids its guard: whatever nginx, a WSGI server and Node decode to a guarded path is guarded.

#include "security/behind.hpp"
#include "security/spellings.hpp"

#include <algorithm>
#include <cctype>

namespace headgate::test {
namespace {

/// The segments that a server could distinguish in a path: without empty ones and parameters.
std::vector<std::string> segments(const std::string& path) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    auto segment = path.substr(at, end - at);
    segment.resize(std::min(segment.find(';'), segment.size()));
    if (!segment.empty()) out.push_back(std::move(segment));
    at = end + 1;
  }
  return out;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

class Paths : public Behind {
 protected:
  /// The routes of `more`, and an open route for everything else. Callers without a token are refused by routes with
  /// "jwt".
  bool start_with(const Json& more, const Json& changes = Json::object()) {
    Json routes = more;
    if (std::none_of(routes.begin(), routes.end(), [](const Json& each) { return each["path"] == "/*"; }))
      routes.push_back({{"path", "/*"}});
    for (auto& each : routes) each["to"] = "app";
    Json all = {{"identity", {{"jwt", {{"algorithms", {"HS256"}}, {"secret", std::string(32, 's')}}}}},
                {"routes", std::move(routes)}};
    all.merge_patch(changes);
    if (!start(all)) return false;
    client_ = std::make_unique<RawClient>(client());
    return true;
  }

  Message get(const std::string& target) {
    client_->send("GET " + target + " HTTP/1.1\r\nHost: test.example\r\n\r\n");
    const Message answer = client_->read();
    if (!answer.ok() || answer.value("Connection") == "close") client_ = std::make_unique<RawClient>(client());
    return answer;
  }
  int status(const std::string& target) { return get(target).status(); }

  /// Requests this many spellings of `paths`. Fails if a server reads a path for which `guarded` is true.
  template <class Guarded>
  void attack(std::vector<std::string> paths, std::size_t times, Guarded&& guarded) {
    Spellings spellings(std::move(paths), 9);
    std::size_t reached = 0, refused = 0, failed = 0;
    for (std::size_t i = 0; i < times && failed < 10; ++i) {
      const auto target = spellings.next();
      const Message answer = get(target);
      ASSERT_TRUE(answer.ok()) << target << ": " << answer.error;
      refused += answer.status() == 401 || answer.status() == 429 ? 1 : 0;
      if (answer.status() != 200) continue;
      ++reached;
      for (const auto& path : reading_of(answer).paths) {
        if (!guarded(path)) continue;
        ++failed;
        ADD_FAILURE() << target << " reached the server, which reads " << visible(path);
        break;
      }
    }
    // Neither may be rare, or the test would show nothing.
    EXPECT_GT(reached, times / 50) << "of " << times;
    EXPECT_GT(refused, times / 10) << "of " << times;
  }

 private:
  std::unique_ptr<RawClient> client_;
};
HEADGATE_BEHIND_EVERY_SERVER(Paths);

const Json kGuards = R"([{"path": "/admin/*", "require": "jwt"}, {"path": "/v1/login", "require": "jwt"},
                         {"path": "/v1/items:search", "require": "jwt"}, {"path": "/u/{id}/secret", "require": "jwt"}])"_json;
const std::vector<std::string> kTargets = {"/admin", "/admin/users", "/v1/login", "/v1/items:search", "/u/a@b/secret"};

bool is_guarded(const std::string& path) {
  const auto all = segments(path);
  const auto at = [&](std::size_t i) { return i < all.size() ? all[i] : ""; };
  return at(0) == "admin" || (all.size() == 2 && at(0) == "v1" && (at(1) == "login" || at(1) == "items:search")) ||
         (all.size() == 3 && at(0) == "u" && at(2) == "secret");
}

TEST_P(Paths, ThatAreGuardedAreReachedInNoSpelling) {
  if (!start_with(kGuards)) return;
  attack(kTargets, 1500, is_guarded);
}

TEST_P(Paths, ThatAreOpenLeadNowhereElse) {
  if (!start_with(R"([{"path": "/*", "require": "jwt"}, {"path": "/open/*"}])"_json)) return;
  attack({"/open/users", "/open/admin", "/open/../admin", "/open/a@b/../../admin", "/admin"}, 1000,
         [](const std::string& path) { return !path.starts_with("/open"); });
}

TEST_P(Paths, OfAnyCaseAreGuardedWhereCaseIsIgnored) {
  if (!start_with(kGuards, {{"all_routes", {{"ignore_case", true}}}})) return;
  auto targets = kTargets;
  for (const char* each : {"/ADMIN/users", "/Admin", "/V1/LOGIN", "/v1/Items:Search", "/U/a@b/SECRET"})
    targets.emplace_back(each);
  attack(targets, 1500, [](const std::string& path) { return is_guarded(lower(path)); });
}

TEST_P(Paths, WithKeptSlashesLeadNowhereElse) {
  if (!start_with(R"([{"path": "/*", "require": "jwt"}, {"path": "/open/*", "encoded_slash": "keep"}])"_json)) return;
  attack({"/open/users", "/open/admin", "/open/../admin", "/open/a@b/../../admin", "/admin"}, 1000,
         [](const std::string& path) { return !path.starts_with("/open"); });
}

TEST_P(Paths, ThatNameOneThingHaveOneBudget) {
  Json routes = R"([{"path": "/u/{id}", "limits": ["each"]}])"_json;
  if (!start_with(routes, {{"limits", {{"each", {{"rate", "2/hour"}, {"per", "path:id"}}}}}})) return;
  std::size_t served = 0;
  attack({"/u/a@b", "/u/a@b", "/u/a@b", "/x"}, 800, [&](const std::string& path) {
    // Several readings of one request are one request.
    return path == "/u/a@b" && ++served > 2 * (GetParam() == RealServer::Kind::nginx ? 1 : 3);
  });
}

TEST_P(Paths, WithAnEncodedSlashAreRefused) {
  if (!start_with(kGuards)) return;
  for (const char* target :
       {"/admin%2Fusers", "/admin%2fusers", "/x/..%2Fadmin/users", "/%2Fadmin/users", "/v1%2Flogin", "/admin%5Cusers",
        "/x/..%5cadmin", "/admin%252Fusers", "/admin%252fusers", "/admin%255cusers", "/admin%25252Fusers",
        "/admin%25%32%46users", "/%5Cadmin", "/open%2f", "/x/..%252fadmin"}) {
    EXPECT_EQ(status(target), 400) << target;
  }
}

TEST_P(Paths, MeanTheSameIfCharactersAreEncodedWithoutNeed) {
  if (!start_with(kGuards)) return;
  for (const char* target :
       {"/v1/items%3Asearch", "/v1/items%3asearch", "/%61dmin", "/admin", "/admin/", "/admin;x", "/admin%3Bx",
        "/admin/%2e", "/%2e%2e/admin", "/v1/login/", "/v1/login;", "/u/%7B/secret"}) {
    EXPECT_EQ(status(target), 401) << target;
  }
}

}  // namespace
}  // namespace headgate::test
