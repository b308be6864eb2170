// The rules of the project's structure: which module may include which, which module may use which library, and how
// long a file may be.

#include "house/includes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace headgate::test {
namespace {

/// The floor of each module. A module may include itself and modules on lower floors.
const std::map<std::string, int> kFloors = {
    {"core", 0},  // words everything is made of
    // no I/O, no clock
    {"http", 1},
    {"limit", 1},
    {"identity", 1},
    {"balance", 1},
    {"observe", 1},
    {"room", 1},
    {"shed", 1},
    {"compress", 1},
    {"scan", 1},
    {"graphql", 1},
    {"envoy", 1},
    {"net", 2},    // listeners, streams, timers
    {"usage", 2},  // tokens of language models, and their prices
    // servers and services that the gateway connects to
    {"upstream", 3},
    {"redis", 3},
    {"keyring", 3},
    {"notify", 3},
    {"load", 3},         // load that headgate generates
    {"gateway", 4},      // the request's path
    {"session", 5},      // client connections
    {"engine", 5},       // the path with everything it needs
    {"access_logs", 6},  // logs as arrivals
    {"config", 6},       // fills the options of all modules
    {"offline", 7},      // runs that serve no client
    {"translate", 7},    // translates other products' files to ours
    {"services", 7},     // messages between gateways, and to other services
    {"policy_test", 8},  // requests, and their expected outcomes
    {"simulate", 8},     // tries a policy on recorded arrivals
    {"admin", 8},        // what operators see and change
    {"server", 9},       // puts everything together
    {"cli", 10},         // the command line
    {"main", 11},
};

/// The floors of the folders of src/gateway. All of them share the headers in include/headgate/gateway.
const std::map<std::string, int> kGatewayFloors = {
    {"grpc", 0},      // gRPC as a protocol
    {"exchange", 1},  // what can be read from one exchange
    {"bodies", 1},    // what limits read from bodies
    {"limits", 2},    // keys, sizes, costs and debts
    {"callers", 3},   // who is calling, and failed attempts
    {"record", 4},    // what is reported about an exchange
    {"rooms", 4},     // waiting rooms
    // what limits count by, one file each
    {"key_sources", 4},
    {"cost_sources", 4},
    {"routes", 4},   // which route a request has
    {"forward", 5},  // what of a message goes on
    {"answers", 6},  // what is sent back
    // other services that are asked about a caller
    {"auth", 6},
    {"basic", 6},
    {"path", 7},          // what the steps of one worker share
    {"admission", 8},     // one round of limits
    {"servers", 9},       // one exchange with a server
    {"reservations", 9},  // decisions that a second call settles
    {"steps", 10},        // the path as a table
    // folders that know all steps
    {"compile", 11},
    {"questions", 11},
    {"candidate", 11},
    {"gateway.cpp", 12},
};

/// The modules that may include headers with this prefix. main.cpp uses cli.
const std::map<std::string, std::set<std::string>> kKeepers = {
    {"nlohmann/", {"config", "identity", "services", "admin", "simulate", "server", "cli"}},
    {"hiredis", {"redis"}},
    {"nghttp2/", {"net", "session", "upstream"}},
    {"prometheus/", {"observe"}},
    {"CLI/", {"cli"}},
    {"date/", {"config"}},
    {"yaml-cpp/", {"translate"}},
    {"re2/", {"gateway"}},
    {"spdlog/", {"observe"}},
    {"zlib.h", {"access_logs", "compress"}},
    {"brotli/", {"compress"}},
    {"openssl/ssl.h", {"net"}},
    {"boost/asio/ssl/", {}},  // net drives OpenSSL itself
};

/// The files that get random bytes from the operating system or OpenSSL. All other code is given a headgate::Random, or
/// a seed.
const std::set<std::string> kAskForChance = {
    "include/headgate/core/random.hpp",  // the generator that is passed on
    "src/server/config/explain_offline.cpp",
    "src/server/watch/server_care.cpp",
    "src/server/worker.hpp",
    "src/core/hash.cpp",                              // a secret of the process, or of a user
    "src/gateway/reservations/reservation_book.cpp",  // ids that nobody can guess
    "src/cli/keys/self_signed.cpp",
    "src/identity/basic_credentials.cpp",
    "src/identity/keys/fresh_key.cpp",
    "src/net/tls/server_tls.cpp",
    "src/server/watch/certificates.cpp",
    "src/redis/limiter.cpp",  // pauses that must differ between limiters
    "src/redis/shared/notice_marks.cpp",
    "src/redis/shared/shared_log.cpp",
    "src/server/serve_gateway.cpp",
    "src/services/ban_json.cpp",
    "include/headgate/notify/span_exporter.hpp",  // times and orders that must differ between gateways
    "include/headgate/notify/webhook.hpp",
    "src/keyring/jwks_url.hpp",
    "src/redis/wire/connection.cpp",
    "src/services/log_refill.cpp",
};

/// Headers that include whole libraries: a file takes 10 s to compile instead of 1 s.
const std::set<std::string> kUmbrellas = {"boost/asio.hpp", "boost/beast.hpp", "boost/beast/http.hpp",
                                          "boost/beast/core.hpp", "boost/beast/websocket.hpp"};

/// Modules that neither open sockets nor wait.
const std::set<std::string> kPure = {"http", "limit",    "room", "identity", "balance", "observe",
                                     "shed", "compress", "scan", "graphql",  "envoy",   "usage"};

/// Except for the thread that writes log lines.
const std::string kLogThread = "src/observe/log/output";

std::string place(const Include& include) {
  return include.file + ":" + std::to_string(include.line) + " includes " + include.target;
}

TEST(House, KnowsTheFloorOfEveryModule) {
  ASSERT_FALSE(all_includes().empty());
  for (const auto& include : all_includes()) {
    EXPECT_TRUE(kFloors.contains(include.module)) << place(include) << ", and is on no floor";
  }
}

TEST(House, IncludesOnlyRunDownwards) {
  std::size_t edges = 0;
  for (const auto& include : all_includes()) {
    if (!include.target.starts_with("headgate/")) continue;
    ++edges;
    const std::string below = module_of("include/" + include.target);
    if (below == include.module) continue;
    ASSERT_TRUE(kFloors.contains(below)) << place(include) << ", which is on no floor";
    EXPECT_GT(kFloors.at(include.module), kFloors.at(below)) << place(include) << ": up or sideways";
  }
  EXPECT_GT(edges, 50U) << "the test has lost sight of the sources";
}

TEST(House, PrivateHeadersStayInTheirModule) {
  for (const auto& include : all_includes()) {
    // The include is "thing.hpp" in the same folder, or "module/thing.hpp" from src/, but never of another module.
    const std::string first = include.target.substr(0, include.target.find('/'));
    if (first == include.target || !kFloors.contains(first) || include.target.starts_with("headgate/")) continue;
    EXPECT_EQ(first, include.module) << place(include);
  }
  for (const auto& include : all_includes()) {
    if (!include.target.starts_with("..")) continue;
    const std::filesystem::path meant = std::filesystem::path(include.file).parent_path() / include.target;
    EXPECT_EQ(module_of(meant.lexically_normal()), include.module) << place(include);
  }
}

/// Returns the folder of src/gateway: "steps" for "src/gateway/steps/walk.hpp".
std::string folder_of(const std::string& file) {
  constexpr std::string_view kGateway = "src/gateway/";
  return file.substr(kGateway.size(), file.find('/', kGateway.size()) - kGateway.size());
}

TEST(House, IncludesInsideTheGatewayOnlyRunDownwards) {
  std::size_t edges = 0;
  for (const auto& include : all_includes()) {
    if (!include.file.starts_with("src/gateway/")) continue;
    EXPECT_FALSE(include.target.starts_with("..")) << place(include);
    const auto above = folder_of(include.file);
    ASSERT_TRUE(kGatewayFloors.contains(above)) << place(include) << ", and is on no floor";
    if (!include.target.starts_with("gateway/")) continue;
    ++edges;
    const auto below = folder_of("src/" + include.target);
    if (below == above) continue;
    ASSERT_TRUE(kGatewayFloors.contains(below)) << place(include) << ", which is on no floor";
    EXPECT_GT(kGatewayFloors.at(above), kGatewayFloors.at(below)) << place(include) << ": up or sideways";
  }
  EXPECT_GT(edges, 50U) << "the test has lost sight of the sources";
}

/// Returns whether a file may contain the step: it has the step's name or the beginning of it, like "limits" for
/// "limits_by_claim".
bool may_have(std::string_view file, std::string_view step) {
  return step.starts_with(file) && (step.size() == file.size() || step[file.size()] == '_');
}

TEST(House, EveryStepOfThePathIsInTheFileThatItsNameSays) {
  std::set<std::string> files;
  for (const auto& file : source_files({"src/gateway/steps"}))
    if (file.extension() == ".cpp") files.insert(file.stem().string());
  const auto text = content("include/headgate/gateway/steps.hpp");
  const auto begin = text.find('{', text.find("enum class Step ")) + 1;
  std::istringstream names(text.substr(begin, text.find('}', begin) - begin));
  std::size_t steps = 0;
  for (std::string name; std::getline(names >> std::ws, name, ','); ++steps) {
    name.erase(name.find_last_not_of(" \n") + 1);
    EXPECT_TRUE(std::ranges::any_of(files, [&](const auto& file) { return may_have(file, name); }))
        << "no file of src/gateway/steps is named as the step " << name;
  }
  EXPECT_GT(steps, 30U) << "the test has lost sight of the steps";
}

TEST(House, LibrariesAreIncludedOnlyByTheirModules) {
  for (const auto& include : all_includes()) {
    for (const auto& [library, keepers] : kKeepers) {
      if (!include.target.starts_with(library)) continue;
      EXPECT_TRUE(keepers.contains(include.module)) << place(include);
    }
  }
}

TEST(House, HeavyLibrariesStayOutOfPublicHeaders) {
  for (const auto& include : all_includes()) {
    if (!include.file.starts_with("include/") || include.target == "nlohmann/json_fwd.hpp") continue;
    // These are C declarations, which cost 15 ms per file. Both sides of the gateway give nghttp2 the same fields and
    // memory.
    if (include.target.starts_with("nghttp2/") && include.file.starts_with("include/headgate/net/h2_")) continue;
    for (const auto& [library, keepers] : kKeepers) {
      EXPECT_FALSE(include.target.starts_with(library)) << place(include);
    }
  }
}

TEST(House, NobodyIncludesAWholeLibrary) {
  for (const auto& include : all_includes()) {
    EXPECT_FALSE(kUmbrellas.contains(include.target)) << place(include);
  }
}

TEST(House, TheFirstFloorDoesNoInputAndNoOutput) {
  for (const auto& include : all_includes()) {
    if (!kPure.contains(include.module) || include.file.starts_with(kLogThread)) continue;
    // Addresses and memory views are values; the rest of Asio waits.
    const bool value = include.target.starts_with("boost/asio/ip/address") ||
                       include.target.starts_with("boost/asio/ip/network") || include.target == "boost/asio/buffer.hpp";
    const bool waits = include.target.starts_with("boost/asio/") && !value;
    EXPECT_FALSE(waits) << place(include);
    for (const char* system : {"sys/socket.h", "sys/epoll.h", "poll.h", "thread", "sys/time.h", "random"}) {
      EXPECT_NE(include.target, system) << place(include);
    }
  }
}

TEST(House, TheFirstFloorUsesNoClockAndNoRandomness) {
  std::size_t files = 0;
  for (const auto& file : source_files({"include", "src"})) {
    if (!kPure.contains(module_of(file))) continue;
    ++files;
    const std::string text = content(file);
    for (const char* impure : {"_clock::now(", "std::time(", "::time(", "gettimeofday", "clock_gettime",
                               "random_device", "getrandom", "rand("}) {
      EXPECT_EQ(text.find(impure), std::string::npos) << file.string() << " has " << impure << ": pass it in";
    }
  }
  EXPECT_GT(files, 20U);
}

TEST(House, OnlyAFewFilesAskTheSystemForChance) {
  auto silent = kAskForChance;
  for (const auto& file : source_files({"include", "src"})) {
    const std::string text = content(file);
    for (const char* source : {"random_device", "of_the_system", "getrandom", "getentropy", "arc4random", "std::rand(",
                               "random_name", "/dev/urandom", "RAND_"}) {
      if (text.find(source) == std::string::npos) continue;
      silent.erase(file.string());
      EXPECT_TRUE(kAskForChance.contains(file.string())) << file.string() << " has " << source << ": pass it in";
    }
  }
  EXPECT_TRUE(silent.empty()) << *silent.begin() << " asks no more: take it out of the list";
}

TEST(House, ThePathReadsTimeOnlyThroughItsClock) {
  std::size_t files = 0;
  for (const auto& file : source_files({"include", "src"})) {
    const auto module = module_of(file);
    if (module != "gateway" && module != "upstream") continue;
    ++files;
    const std::string text = content(file);
    for (const char* real : {"_clock::now(", "std::time(", "headgate::now()", " now()", "(now()", "waitable_timer"}) {
      EXPECT_EQ(text.find(real), std::string::npos) << file.string() << " has " << real << ": see core/clock.hpp";
    }
  }
  EXPECT_GT(files, 40U);
}

TEST(House, FilesAreReadByWhatWaitsForNoPipe) {
  for (const auto& file : source_files({"include", "src"})) {
    const std::string text = content(file);
    const bool of_kernel = text.find("\"/proc/") != std::string::npos;
    EXPECT_TRUE(of_kernel || text.find("ifstream") == std::string::npos) << file.string() << ": see core/read_file.hpp";
    EXPECT_EQ(text.find("fopen("), std::string::npos) << file.string() << ": see core/read_file.hpp";
  }
}

TEST(House, EveryMetricStandsWhereTheBuildCollectsIt) {
  std::size_t families = 0;
  for (const auto& file : source_files({"include", "src"})) {
    const std::string text = content(file);
    const auto count = [&](const std::regex& what) {
      return std::distance(std::sregex_iterator(text.begin(), text.end(), what), std::sregex_iterator());
    };
    const auto collected = count(std::regex("\\ninline constexpr Family [a-z0-9_]+ *\\{"));
    if (file.parent_path() != "include/headgate/observe/families") {
      EXPECT_EQ(count(std::regex("\\bconst(expr)? Family \\w+ *\\{")), 0)
          << file.string() << ": it would never be shown";
      continue;
    }
    EXPECT_EQ(count(std::regex("\\.name = ")), collected) << file.string() << ": write `inline constexpr Family name{`";
    families += static_cast<std::size_t>(collected);
  }
  EXPECT_GT(families, 100U);
}

TEST(House, NoFileIsTooLongToRead) {
  constexpr std::size_t kMax = 400;
  const auto files = source_files({"include", "src", "tests"});
  ASSERT_GT(files.size(), 50U);
  for (const auto& file : files) {
    EXPECT_LE(line_count(file), kMax) << file.string() << ": one idea a file";
  }
}

TEST(House, ThePageThatShowsItIsShort) {
  EXPECT_LE(line_count("docs/architecture.md"), 250U) << "what one does not see at a glance belongs to docs/inside.md";
}

TEST(House, NoFolderIsTooFullToSee) {
  constexpr std::size_t kMax = 45;
  std::map<std::string, std::size_t> files;
  for (const auto& file : source_files({"include", "src", "tests"})) ++files[file.parent_path().string()];
  ASSERT_GT(files.size(), 50U);
  for (const auto& [folder, count] : files) {
    EXPECT_LE(count, kMax) << folder << ": cut it by subject";
  }
}

TEST(House, HeadersAreIncludedOnceByPragma) {
  for (const auto& file : source_files({"include", "src", "tests"})) {
    if (file.extension() != ".hpp") continue;
    std::string first;
    ASSERT_TRUE(first_line(file, first)) << file.string();
    EXPECT_EQ(first, "#pragma once") << file.string();
  }
}

TEST(House, OnlyMainLivesOutsideAModule) {
  for (const auto& file : source_files({"src"})) {
    if (file.parent_path() != "src") continue;
    EXPECT_EQ(file.filename(), "main.cpp") << file.string() << " belongs into a module";
  }
}

}  // namespace
}  // namespace headgate::test
