#include "write_keys.hpp"

#include "headgate/core/replace_file.hpp"
#include "headgate/identity/api_keys.hpp"
#include "headgate/identity/key_changes.hpp"
#include "headgate/keyring/watched_file.hpp"

#include <utility>

namespace headgate::services {

KeyFileResult write_keys(const std::string& file, const std::vector<identity::ApiKeyRecord>& changes, Instant now) {
  const DirectoryLock lock(file);  // `headgate keys new` holds it, too
  const auto text = keyring::WatchedFile(file, identity::kLongestKeyFile).look();
  if (!text) return {.failed = file + ": cannot be read", .known_before = {}};
  if (text->has_error()) return {.failed = text->error(), .known_before = {}};
  auto changed = identity::change_key_file(**text, changes, now);
  if (changed.has_error()) return {.failed = file + ':' + to_text(changed.error()), .known_before = {}};
  if (changed->changed)
    if (const auto failed = replace_file(file, changed->text)) return {.failed = *failed, .known_before = {}};
  return {.failed = {}, .known_before = std::move(changed->known_before)};
}

}  // namespace headgate::services
