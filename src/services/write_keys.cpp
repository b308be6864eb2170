#include "write_keys.hpp"

#include "headgate/core/replace_file.hpp"
#include "headgate/identity/api_keys.hpp"
#include "headgate/identity/key_changes.hpp"
#include "headgate/keyring/watched_file.hpp"

#include <utility>

namespace headgate::services {
namespace {

constexpr int kTries = 5;

/// Reads, changes and replaces the file once. Sets `edited` if someone else wrote the file meanwhile.
KeyFileResult write_once(const std::string& file, const std::vector<identity::ApiKeyRecord>& changes, Instant now,
                         bool& edited) {
  keyring::WatchedFile before(file, identity::kLongestKeyFile);
  const auto text = before.look();
  if (!text) return {.failed = file + ": cannot be read", .known_before = {}};
  if (text->has_error()) return {.failed = text->error(), .known_before = {}};
  auto changed = identity::change_key_file(**text, changes, now);
  if (changed.has_error()) return {.failed = file + ':' + to_text(changed.error()), .known_before = {}};
  const auto is_same = [&] {
    edited = before.look().has_value();
    return !edited;
  };
  if (changed->changed)
    if (const auto failed = replace_file(file, changed->text, 0600, is_same))
      return {.failed = *failed, .known_before = {}};
  return {.failed = {}, .known_before = std::move(changed->known_before)};
}

}  // namespace

// The lock keeps `headgate keys new` from writing at the same time. An editor does not take it, so write_once() is
// repeated if somebody else wrote the file.
KeyFileResult write_keys(const std::string& file, const std::vector<identity::ApiKeyRecord>& changes, Instant now) {
  const auto lock = FileLock::take(file);
  if (lock.has_error()) return {.failed = lock.error(), .known_before = {}};
  KeyFileResult out;
  bool edited = true;
  for (int tries = 0; edited && tries < kTries; ++tries) {
    edited = false;
    out = write_once(file, changes, now, edited);
  }
  return out;
}

}  // namespace headgate::services
