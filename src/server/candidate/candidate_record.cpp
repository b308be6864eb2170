#include "candidate_record.hpp"

#include "headgate/core/read_file.hpp"
#include "headgate/core/replace_file.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

namespace headgate::server {
namespace {

constexpr int kForm = 1;
constexpr std::size_t kLargestRecord =
    (std::size_t{64} << 20U) + (std::size_t{64} << 10U);  // 64 MiB for the text, and 64 KiB for the line before it

std::string state_directory() {
  const char* const named = std::getenv("STATE_DIRECTORY");
  if (named == nullptr) return {};
  const std::string_view all(named);
  return std::string(all.substr(0, all.find(':')));
}

std::string field(const nlohmann::json& head, const char* name) {
  const auto found = head.find(name);
  return found != head.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

CandidateRecord::CandidateRecord(const std::string& config_file) {
  if (config_file.empty()) return;
  std::error_code unknown;
  const auto file = std::filesystem::absolute(config_file, unknown).lexically_normal();
  if (unknown) return;
  config_file_ = file.string();
  const auto state = state_directory();
  const auto directory = state.empty() ? file.parent_path() : std::filesystem::path(state);
  path_ = (directory / file.filename()).string() + ".candidate";
}

std::optional<std::string> CandidateRecord::write(const SavedCandidate& kept) const {
  if (path_.empty()) return "the configuration was not read from a file, so there is no place to store the candidate";
  const nlohmann::ordered_json head = {
      {"candidate_of", config_file_}, {"form", kForm}, {"name", kept.name}, {"over", kept.over}};
  std::optional<std::string> failed;
  try {
    failed = replace_file(path_, head.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + '\n' + kept.text);
  } catch (const std::exception& failure) {
    failed = failure.what();
  }
  if (failed) (void)remove();  // otherwise a restart would set an older candidate
  return failed;
}

Result<std::optional<SavedCandidate>, std::string> CandidateRecord::read() const {
  using Read = Result<std::optional<SavedCandidate>, std::string>;
  std::error_code failed;
  if (path_.empty() || !std::filesystem::exists(path_, failed)) return Read(std::nullopt);
  const auto unreadable = [this](const char* why) { return Read(boost::system::in_place_error, path_ + ' ' + why); };
  const auto text = read_file(path_, kLargestRecord);
  if (text.has_error() && text.error().kind == FileTrouble::Kind::too_large)
    return unreadable("is larger than a file that headgate writes");
  const auto all = text.has_value() ? *text : std::string();
  const auto end = all.find('\n');
  if (end == std::string::npos) return unreadable("cannot be read, or is incomplete");
  const auto head = nlohmann::json::parse(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
  if (!head.is_object() || head.value("form", nlohmann::json()) != kForm)
    return unreadable("does not have the format of this version of headgate");
  if (field(head, "candidate_of") != config_file_)
    return Read(std::nullopt);  // another gateway with the same state directory has written it
  return Read(SavedCandidate{all.substr(end + 1), field(head, "name"), field(head, "over")});
}

std::optional<std::string> CandidateRecord::remove() const {
  if (path_.empty() || ::unlink(path_.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  return "cannot remove " + path_ + ": " + std::strerror(errno);
}

}  // namespace headgate::server
