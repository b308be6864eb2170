#include "headgate/identity/key_changes.hpp"

#include "key_places.hpp"

#include "headgate/identity/key_record.hpp"

#include <map>
#include <utility>

namespace headgate::identity {
namespace {

/// The list of keys, and the text before and after its records.
class KeyFileText {
 public:
  KeyFileText(std::string_view json, const PlacedKeys& before) : json_(json), before_(before) {
    // The file has a single list, which the last bracket closes.
    const auto close = json.rfind(']');
    const auto& places = before.places;
    head_ = places.empty() ? json.find_last_not_of(" \t\r\n", close - 1) + 1 : places.front().begin;
    tail_ = places.empty() ? head_ : places.back().end;
    out_ = json.substr(0, head_);
    out_.reserve(json.size());
  }

  /// Copies the record with the index `at` from the file, unchanged.
  void keep(std::size_t at) { put(between(at), text_of(at)); }
  /// Copies the record and appends one more member.
  void keep_with(std::size_t at, const std::string& member) {
    const auto text = text_of(at);
    const auto end = text.find_last_not_of(" \t\r\n", text.size() - 2) + 1;  // the position before the brace
    put(between(at), std::string(text.substr(0, end)) + ", " + member + " }");
  }
  void add(const std::string& record) { put(any_ ? ",\n    " : before_.places.empty() ? "\n    " : "", record); }

  std::string whole() && {
    const auto rest = json_.substr(tail_);
    if (before_.places.empty() && any_ && rest.find('\n') >= rest.find(']')) out_ += "\n  ";
    return std::move(out_) += rest;
  }

 private:
  std::string_view text_of(std::size_t at) const {
    const auto& place = before_.places[at];
    return json_.substr(place.begin, place.end - place.begin);
  }
  /// Returns the text between this record and the previous one; empty before the first record that is kept.
  std::string_view between(std::size_t at) const {
    if (!any_ || at == 0) return {};
    const auto begin = before_.places[at - 1].end;
    return json_.substr(begin, before_.places[at].begin - begin);
  }
  void put(std::string_view separator, std::string_view record) {
    out_.append(separator).append(record);
    any_ = true;
  }

  std::string_view json_;
  const PlacedKeys& before_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  std::string out_;
  bool any_ = false;
};

}  // namespace

Result<ChangedKeyFile, JsonMistake> change_key_file(std::string_view json, std::span<const ApiKeyRecord> changes,
                                                    Instant now) {
  const auto before = read_placed_keys(json);
  if (before.has_error()) return before.error();
  ChangedKeyFile out;
  std::map<Sha256, const ApiKeyRecord*> wanted;
  for (const auto& each : changes) {
    auto& last = wanted[each.digest];
    if (last == nullptr || each.revoked) last = &each;
  }
  std::map<Sha256, bool> found;
  std::vector<const ApiKeyRecord*> in_place(before->records.size(), nullptr);
  for (std::size_t i = 0; i < before->records.size(); ++i) {
    const auto change = wanted.find(before->records[i].digest);
    if (change == wanted.end()) continue;
    found[change->first] = true;
    if (change->second->revoked && !before->records[i].revoked) in_place[i] = change->second;
    out.changed = out.changed || in_place[i] != nullptr;
  }
  for (const auto& each : changes) out.known_before.push_back(found.contains(each.digest));
  out.changed = out.changed || found.size() < wanted.size();
  if (!out.changed) {
    out.text = json;
    out.keys = before->records.size();
    return out;
  }
  KeyFileText text(json, *before);
  for (std::size_t i = 0; i < before->records.size(); ++i) {
    if (is_past(before->records[i], now)) continue;
    in_place[i] != nullptr ? text.keep_with(i, revoked_text(*in_place[i])) : text.keep(i);
  }
  for (const auto& each : changes)
    if (wanted[each.digest] == &each && !found.contains(each.digest)) text.add(record_text(each));
  out.text = std::move(text).whole();
  const auto after = read_api_keys(out.text);
  if (after.has_error()) return after.error();
  out.keys = after->size();
  return out;
}

}  // namespace headgate::identity
