// Issued and revoked keys among several gateways: whatever fails, and whoever hears of what first, a key that was
// revoked anywhere ends everywhere, and stays so.

#include "headgate/services/key_service.hpp"

#include "in_force.hpp"
#include "support/virtual_clock.hpp"

#include "headgate/identity/key_record.hpp"
#include "headgate/identity/sha256.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace headgate::services {
namespace {

using namespace std::chrono_literals;
using headgate::test::VirtualClock;

/// What all gateways share; it can lose everything.
struct CommonLog {
  std::vector<limit::LogEntry> entries;
  int life = 1;
  void forget() {
    entries.clear();
    ++life;
  }
};

/// One gateway's view of it, which may be cut off.
class KeyLog final : public limit::SharedLog {
 public:
  KeyLog(CommonLog& log, const bool& away) : log_(log), away_(away) {}
  Task<Result<std::uint64_t>> append(const limit::LogEntry& entry) override {
    if (away_) co_return error();
    log_.entries.push_back(entry);
    log_.entries.back().version = log_.entries.size();
    co_return Result<std::uint64_t>(boost::system::in_place_value, log_.entries.size());
  }
  Task<Result<News>> read(std::string_view position) override {
    if (away_) co_return error();
    const std::string life = std::to_string(log_.life) + ' ';
    std::size_t at = 0;
    News news;
    news.from_beginning = !position.starts_with(life);
    if (!news.from_beginning) at = std::stoul(std::string(position.substr(life.size())));
    const auto end = std::min(log_.entries.size(), at + 3);
    for (std::size_t i = at; i < end; ++i) news.entries.push_back(log_.entries[i]);
    news.position = life + std::to_string(end);
    news.more = end < log_.entries.size();
    co_return news;
  }
  Task<Result<limit::Acknowledgements>> hear(std::string_view, std::uint64_t) override {
    co_return Result<limit::Acknowledgements>(boost::system::in_place_value,
                                              limit::Acknowledgements{.heard = 1, .of = 1});
  }
  Task<error_code> leave() override { co_return error_code(); }
  void stop() override {}

 private:
  static error_code error() { return make_error_code(boost::system::errc::timed_out); }
  CommonLog& log_;
  const bool& away_;
};

std::string file_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A gateway as far as its keys go.
class KeyGateway {
 public:
  KeyGateway(VirtualClock& clock, CommonLog& log, std::string path) : clock_(clock), log_(log), path_(std::move(path)) {
    std::ofstream(path_) << "{\"keys\": []}";
    start();
  }
  ~KeyGateway() { stop(); }

  void start() {
    service_ = std::make_shared<KeyService>(
        clock_, [this](const config::Config&) { return std::make_shared<KeyLog>(log_, away); });
    auto config = std::make_shared<config::Config>();
    config->redis.emplace();
    config->identity.api_key.file = path_;
    config->identity.api_key.issue = true;
    use({});
    service_->serve(
        [](const auto& what) {
          what();
          return true;
        },
        [this](const auto& unwritten, const auto& done) {
          use(unwritten);
          done();
        },
        [this](const std::string& why) { trouble = why; });
    service_->adopt(in_force(config));
    service_->start();
  }
  void stop() {
    if (service_) service_->stop();
    clock_.advance(1ms);
    service_.reset();
  }

  /// As the keyring does when the file has changed.
  void look() { use(service_->unwritten()); }
  bool runs() const { return service_ != nullptr; }
  KeyService& service() { return *service_; }
  /// Whether a caller with this key gets in.
  bool lets_in(const identity::Sha256& digest) const {
    const auto* const record = keys_->find(digest);
    return record != nullptr && !record->disabled;
  }
  const std::string& path() const { return path_; }

  bool away = false;
  std::string trouble;

 private:
  void use(KeyService::Records unwritten) {
    if (auto read = identity::read_api_keys(file_text(path_)); read.has_value()) of_file_ = *read;
    unwritten.insert(unwritten.end(), of_file_.begin(), of_file_.end());
    keys_ = std::make_shared<const identity::ApiKeys>(std::move(unwritten));
    service_->in_force(keys_);
  }

  VirtualClock& clock_;
  CommonLog& log_;
  const std::string path_;
  std::shared_ptr<KeyService> service_;
  KeyService::Records of_file_;
  std::shared_ptr<const identity::ApiKeys> keys_;
};

class KeyServices : public testing::Test {
 protected:
  KeyServices() {
    std::string name = (std::filesystem::temp_directory_path() / "headgate-fleet-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    for (int i = 0; i < 3; ++i) {
      std::filesystem::create_directory(folder + '/' + std::to_string(i));
      gateways.push_back(std::make_unique<KeyGateway>(clock, log, folder + '/' + std::to_string(i) + "/keys.json"));
    }
  }
  ~KeyServices() override {
    gateways.clear();
    std::filesystem::remove_all(folder);
  }

  void pass(int seconds) {
    for (int i = 0; i < 10 * seconds; ++i) clock.advance(100ms);
  }
  identity::Sha256 issue(KeyGateway& at) {
    identity::ApiKeyRecord record;
    record.owner = "acme";
    record.digest = identity::sha256("key " + std::to_string(++made));
    bool issued = false;
    at.service().issue(record, [&issued](const auto& told) { issued = told.has_value(); });
    pass(4);
    EXPECT_TRUE(issued);
    return record.digest;
  }
  std::optional<KeyService::Done> revoke(KeyGateway& at, const identity::Sha256& digest) {
    std::optional<KeyService::Done> out;
    at.service().revoke(identity::id_of(digest), [&out](const auto& told) {
      if (told.has_value()) out = *told;
    });
    pass(4);
    return out;
  }

  VirtualClock clock;
  CommonLog log;
  std::string folder;
  int made = 0;
  std::vector<std::unique_ptr<KeyGateway>> gateways;
};

class AnyOrder : public KeyServices, public testing::WithParamInterface<unsigned> {};
INSTANTIATE_TEST_SUITE_P(KeyServices, AnyOrder, testing::Range(1U, 9U));

TEST_P(AnyOrder, LetsNobodyInWithAKeyThatWasRevokedAnywhere) {
  std::minstd_rand random(GetParam());
  std::set<identity::Sha256> issued;
  std::set<identity::Sha256> revoked;
  const bool old_files = GetParam() % 2 == 0;  // which may lose what was issued, and nothing else
  std::string old_file = "{\"keys\": []}";
  for (int turn = 0; turn < 200; ++turn) {
    auto& at = *gateways[random() % gateways.size()];
    const auto what = random() % 10;
    if (what == 0) log.forget();
    if (what == 1) at.away = !at.away;
    if (what == 2) at.runs() ? at.stop() : at.start();
    if (what == 0 && old_files && at.runs()) {  // an old file is put back, as from a backup
      std::ofstream(at.path()) << old_file;
      at.look();
      pass(1);
    }
    if (turn == 60) old_file = file_text(at.path());
    if (what > 2 && what < 7 && at.runs()) issued.insert(issue(at));
    if (what > 6 && at.runs() && !issued.empty()) {
      const auto which = *std::next(issued.begin(), static_cast<long>(random() % issued.size()));
      if (revoke(at, which)) revoked.insert(which);
      EXPECT_TRUE(!revoked.contains(which) || !at.lets_in(which)) << "at once";
    }
  }
  for (const auto& each : gateways) {
    each->away = false;
    if (!each->runs()) each->start();
  }
  pass(60);
  EXPECT_GT(issued.size(), 20U);
  EXPECT_GT(revoked.size(), 5U);
  for (const auto& each : gateways) {
    for (const auto& digest : revoked) EXPECT_FALSE(each->lets_in(digest));
    if (old_files) continue;
    for (const auto& digest : issued) EXPECT_EQ(each->lets_in(digest), !revoked.contains(digest));
    const auto file = identity::read_api_keys(file_text(each->path()));
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(file->size(), issued.size()) << "each file is a whole record";
    EXPECT_EQ(each->service().counts().unwritten, 0U);
  }
}

TEST_F(KeyServices, HoldWhatTheFileCannotHaveUntilItCan) {
  auto& one = *gateways[0];
  auto& two = *gateways[1];
  const auto digest = issue(one);
  const auto good = file_text(two.path());
  std::ofstream(two.path()) << "no key file";
  const auto done = revoke(two, digest);
  ASSERT_TRUE(done);
  EXPECT_NE(done->unwritten, "");
  EXPECT_NE(two.trouble, "");
  EXPECT_EQ(two.service().counts().unwritten, 1U);
  EXPECT_FALSE(two.lets_in(digest));
  EXPECT_FALSE(one.lets_in(digest)) << "the others know it all the same";
  std::ofstream(two.path()) << good;
  pass(6);
  EXPECT_EQ(two.trouble, "");
  EXPECT_EQ(two.service().counts().unwritten, 0U);
  EXPECT_NE(file_text(two.path()).find("revoked"), std::string::npos);
}

TEST_F(KeyServices, KeepAKeyRevokedWhenAnOldFileIsPutBack) {
  auto& one = *gateways[0];
  const auto digest = issue(one);
  const auto old = file_text(one.path());
  revoke(one, digest);
  ASSERT_NE(file_text(one.path()), old);
  std::ofstream(one.path()) << old;
  one.look();
  pass(1);
  EXPECT_FALSE(one.lets_in(digest));
  EXPECT_NE(file_text(one.path()).find("revoked"), std::string::npos) << "the file says so again";
  one.stop();
  one.start();
  EXPECT_FALSE(one.lets_in(digest));
}

TEST_F(KeyServices, NeverBringAKeyBackThatPeopleDisabled) {
  auto& one = *gateways[0];
  const auto digest = issue(one);
  auto text = file_text(one.path());
  text.replace(text.find("\"issued\""), 0, "\"disabled\": true, ");
  std::ofstream(one.path()) << text;
  one.stop();
  log.forget();
  one.start();
  pass(10);
  EXPECT_FALSE(one.lets_in(digest));
  EXPECT_TRUE(gateways[1]->lets_in(digest)) << "a file by hand holds where it is read";
}

}  // namespace
}  // namespace headgate::services
