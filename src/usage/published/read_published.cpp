#include "published_model.hpp"

#include "headgate/core/whole_number.hpp"

namespace headgate::usage {
namespace {

constexpr std::size_t kMaxEntries = 100'000;
constexpr std::string_view kDescription = "sample_spec";  // the entry that describes the others

bool says_a_cost(std::string_view member) {
  return member.find("cost") != member.npos || member.find("pricing") != member.npos ||
         member == "provider_specific_entry";
}

class PublishedMap {
 public:
  explicit PublishedMap(std::string_view json) : walk_(json, "the published map has no comments", kMaxEntries) {}

  Result<std::vector<PublishedModel>, JsonMistake> read() {
    const bool read = walk_.object([&](std::string_view name) {
      if (name == kDescription || walk_.next() != JsonKind::object) return walk_.pass();
      auto& made = models_.emplace_back();
      made.name = name;
      return walk_.object([&](std::string_view member) { return add(made, member); });
    });
    if (read && walk_.end()) return std::move(models_);
    return walk_.mistake();
  }

 private:
  bool add(PublishedModel& model, std::string_view member) {
    const auto kind = walk_.next();
    if (member == "mode" && kind == JsonKind::text) return walk_.text(model.mode);
    if (member == "litellm_provider" && kind == JsonKind::text) return walk_.text(model.provider);
    const bool cost = says_a_cost(member);
    std::string name(member);
    if (kind == JsonKind::number) {
      std::string_view written;
      if (!walk_.number(written)) return false;
      if (member == "max_output_tokens")
        model.most_output = whole_number<std::int64_t>(written, 1, 1'000'000'000).value_or(0);
      else if (cost)
        model.costs.emplace_back(std::move(name), written);
      return true;
    }
    if (cost && kind == JsonKind::text) return walk_.text(model.costs.emplace_back(std::move(name), "").second);
    if (cost && (kind == JsonKind::object || kind == JsonKind::list)) model.costs.emplace_back(std::move(name), "");
    return walk_.pass();
  }

  JsonWalk walk_;
  std::vector<PublishedModel> models_;
};

}  // namespace

Result<std::vector<PublishedModel>, JsonMistake> read_published(std::string_view json) {
  return PublishedMap(json).read();
}

}  // namespace headgate::usage
