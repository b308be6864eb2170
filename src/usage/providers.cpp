#include "api_shapes.hpp"

#include "headgate/usage/provider.hpp"
#include "headgate/usage/stream_end.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace headgate::usage {
namespace {

using scan::Found;

constexpr int kMaxModalities = 4;  // entries of a list of modalities that are read

using Indexes = std::vector<std::size_t>;

Indexes add_all(scan::Pointers& to, std::string_view pointers, scan::Take take) {
  Indexes out;
  while (!pointers.empty()) {
    const auto end = std::min(pointers.find(' '), pointers.size());
    out.push_back(to.add(*scan::parse_pointer(pointers.substr(0, end)), take));
    pointers.remove_prefix(std::min(end + 1, pointers.size()));
  }
  return out;
}

std::size_t add_one(scan::Pointers& to, std::string_view pointer) {
  return pointer.empty() ? scan::Pointers::kNone : add_all(to, pointer, scan::Take::value).front();
}

}  // namespace

/// A shape with its pointers, and with their indexes in the sets.
struct Provider {
  struct Count {
    std::int64_t Usage::*part;
    Indexes at;
  };
  struct Modality {
    std::int64_t Usage::*part;
    std::size_t name;
    std::size_t count;
  };

  explicit Provider(const ApiShape& from) : shape(&from) {
    for (const auto& each : from.counts)
      counts.push_back({each.part, add_all(answer, each.pointers, scan::Take::value)});
    for (const auto& each : from.modalities) {
      for (int i = 0; i < kMaxModalities; ++i) {
        const auto entry = std::string(each.list) + '/' + std::to_string(i);
        modalities.push_back({each.part, add_one(answer, entry + "/modality"), add_one(answer, entry + "/tokenCount")});
      }
    }
    for (const auto each : from.texts) texts.push_back(add_all(answer, each, scan::Take::text));
    end = add_one(answer, from.end);
    input_only = add_one(answer, from.input_only);
    most = add_all(request, from.most, scan::Take::value);
    alternatives = add_all(request, from.alternatives, scan::Take::value);
    model = add_one(request, from.model);
    stream = add_one(request, from.stream);
  }

  const ApiShape* shape;
  scan::Pointers answer;
  std::vector<Count> counts;
  std::vector<Modality> modalities;
  std::vector<Indexes> texts;
  std::size_t end;
  std::size_t input_only;

  scan::Pointers request;
  Indexes most;
  Indexes alternatives;
  std::size_t model;
  std::size_t stream;
};

namespace {

const std::vector<Provider>& all_providers() {
  static const std::vector<Provider> all(api_shapes().begin(), api_shapes().end());
  return all;
}

/// Returns a count that was found; -1 if there is none.
std::int64_t count_of(const Found& found) noexcept {
  return found.kind == Found::Kind::number && found.number >= 0 ? found.number : -1;
}

/// Adds a count, which may be -1, to another one, which is -1 until there is a first one.
void add_count(std::int64_t& sum, std::int64_t count) noexcept {
  if (count >= 0) sum = std::min(std::max<std::int64_t>(sum, 0) + count, scan::kMaxNumber);
}

std::int64_t first_count(const scan::Scan& answer, const Indexes& at) noexcept {
  for (const auto index : at)
    if (const auto count = count_of(answer.found(index)); count >= 0) return count;
  return -1;
}

/// Derives counts from others: a total covers output that an API does not count as such, for example reasoning.
void derive(Usage& usage) noexcept {
  if (usage.total >= 0 && usage.input >= 0 && usage.total > usage.input)
    usage.output = std::max(usage.output, usage.total - usage.input);
  if (usage.total >= 0 && usage.input < 0 && usage.output >= 0 && usage.total > usage.output)
    usage.input = usage.total - usage.output;
  if (usage.total < 0 && usage.input >= 0 && usage.output >= 0) {
    add_count(usage.total, usage.input);
    add_count(usage.total, usage.output);
  }
}

/// A number of a request, of which servers could read different ones.
struct AskedNumber {
  bool sure = true;
  std::int64_t number = 0;  ///< 0 if the request has none
};

/// Returns the largest of the numbers at these places.
AskedNumber largest_asked(const scan::Scan& request, const Indexes& at) noexcept {
  AskedNumber out;
  for (const auto index : at) {
    const auto& found = request.found(index);
    if (found.repeated) out.sure = false;
    if (found.kind == Found::Kind::absent || found.kind == Found::Kind::null) continue;
    // A negative number can mean "without a maximum", and some servers read a text as a number.
    if (found.kind != Found::Kind::number || found.number <= 0) out.sure = false;
    out.number = std::max(out.number, found.number);
  }
  return out;
}

}  // namespace

const Provider* find_provider(std::string_view name) noexcept {
  const auto& all = all_providers();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Provider& each) { return name_of(each) == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string provider_names() {
  std::string out;
  for (const auto& shape : api_shapes()) out.append(out.empty() ? "" : ", ").append(shape.name);
  return out;
}

std::string_view name_of(const Provider& provider) noexcept { return provider.shape->name; }

const scan::Pointers& answer_pointers(const Provider& provider) noexcept { return provider.answer; }

const scan::Pointers& request_pointers(const Provider& provider) noexcept { return provider.request; }

Usage usage_in(const Provider& provider, const scan::Scan& answer) noexcept {
  Usage out;
  for (const auto& each : provider.counts) add_count(out.*each.part, first_count(answer, each.at));
  for (const auto& each : provider.modalities)
    if (answer.found(each.name).text == "AUDIO") add_count(out.*each.part, count_of(answer.found(each.count)));
  if (answer.found(provider.end).truth) {
    add_count(out.input, 0);
    add_count(out.output, 0);
  }
  if (answer.found(provider.input_only).kind == Found::Kind::structure) add_count(out.output, 0);
  derive(out);
  return out;
}

std::uint64_t output_text_in(const Provider& provider, const scan::Scan& answer) noexcept {
  std::uint64_t out = 0;
  for (const auto& each : provider.texts) {
    std::int64_t longest = 0;
    for (const auto index : each) longest = std::max(longest, answer.found(index).number);
    out += static_cast<std::uint64_t>(longest);
  }
  return out;
}

std::optional<std::int64_t> most_output_in(const Provider& provider, const scan::Scan& request) noexcept {
  const auto asked = asked_output_in(provider, request);
  if (!asked.sure || asked.most == 0) return std::nullopt;
  return asked.most > scan::kMaxNumber / asked.alternatives ? scan::kMaxNumber : asked.most * asked.alternatives;
}

AskedOutput asked_output_in(const Provider& provider, const scan::Scan& request) noexcept {
  const auto most = largest_asked(request, provider.most);
  const auto times = largest_asked(request, provider.alternatives);
  return {
      .sure = most.sure && times.sure, .most = most.number, .alternatives = std::max<std::int64_t>(times.number, 1)};
}

std::span<const std::size_t> most_places(const Provider& provider) noexcept { return provider.most; }

std::vector<MostMember> most_members(const Provider& provider, scan::Pointers& request) {
  std::vector<MostMember> out;
  for (const auto& row : provider.shape->members)
    for (const auto index : add_all(request, row.beside, scan::Take::text)) out.push_back({index, row.member});
  return out;
}

std::int64_t alternatives_in(const Provider& provider, const scan::Scan& request) noexcept {
  constexpr std::int64_t kMaxAlternatives = 128;  // the most that OpenAI allows
  return std::clamp<std::int64_t>(largest_asked(request, provider.alternatives).number, 1, kMaxAlternatives);
}

std::string_view model_in(const Provider& provider, const scan::Scan& request) noexcept {
  const auto& found = request.found(provider.model);
  return found.kind == Found::Kind::text && !found.repeated && !found.cut ? found.text : std::string_view();
}

std::string_view model_in_path(const Provider& provider, std::string_view path) noexcept {
  const auto before = provider.shape->path_model;
  const auto at = before.empty() ? path.npos : path.rfind(before);
  if (at == path.npos) return {};
  const auto model = path.substr(at + before.size());
  return model.substr(0, model.find_first_of(":/?"));
}

std::optional<bool> stream_in(const Provider& provider, const scan::Scan& request) noexcept {
  if (provider.shape->stream.empty()) return std::nullopt;
  const auto& found = request.found(provider.stream);
  if (found.repeated) return std::nullopt;
  if (found.kind == Found::Kind::absent || found.kind == Found::Kind::null) return provider.shape->streams;
  return found.kind == Found::Kind::boolean ? std::optional(found.truth) : std::nullopt;
}

}  // namespace headgate::usage
