#include "write.hpp"

#include "json.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace headgate::translate {
namespace {

constexpr std::size_t kWidth = 120;

/// Text that is built line by line.
class Paper {
 public:
  void line(std::size_t depth, std::string_view text) {
    out_.append(2 * depth, ' ').append(text);
    out_ += '\n';
  }
  void comment(std::size_t depth, std::string_view text, std::size_t most = 1000) {
    line(depth, "// " + one_line(text, most));
  }
  void blank() { out_ += '\n'; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void comments_of(Paper& paper, std::size_t depth, const DraftEntry& entry) {
  for (const auto& text : entry.comments) paper.comment(depth, text);
  for (const auto& remark : entry.remarks) paper.line(depth, "// " + to_text(remark));
}

/// The order of the keys in an entry: first the conditions, then the destination, then the rest in the order of the
/// product's file.
constexpr std::array<std::string_view, 30> kOrder{
    "address",     "tls",   "name",      "host",   "path",     "path_matches", "ignore_case", "methods",
    "headers",     "query", "client_ip", "to",     "redirect", "respond",      "rewrite",     "redirect_to_https",
    "host_header", "rate",  "in_flight", "burst",  "per",      "tier_from",    "tiers",       "default_tier",
    "algorithm",   "wait",  "if_absent", "exempt", "header",   "keys"};

std::vector<DraftEntry::Field> all_fields(const DraftEntry& entry) {
  std::vector<DraftEntry::Field> out = entry.fields;
  const auto rank = [](const auto& field) {
    return std::find(kOrder.begin(), kOrder.end(), field.key) - kOrder.begin();
  };
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (!entry.uses.empty()) out.push_back({"limits", list_of(entry.uses)});
  return out;
}

/// Returns `{ "key": value, … }` on one line.
std::string on_one_line(const std::vector<DraftEntry::Field>& fields) {
  std::vector<std::pair<std::string, std::string>> members;
  members.reserve(fields.size());
  for (const auto& field : fields) members.emplace_back(field.key, field.json);
  return object_of(members);
}

/// Splits the text between the brackets of an object or a list that json.hpp made.
std::vector<std::string_view> members_of(std::string_view json) {
  std::vector<std::string_view> out;
  std::size_t open = 0;
  std::size_t begin = 1;
  bool inside = false;
  const auto add = [&](std::size_t end) {
    if (const auto member = trimmed(json.substr(begin, end - begin)); !member.empty()) out.push_back(member);
    begin = end + 1;
  };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (inside && c == '\\') {
      ++i;
    } else if (c == '"') {
      inside = !inside;
    } else if (inside) {
      continue;
    } else if (c == '{' || c == '[') {
      ++open;
    } else if (c == '}' || c == ']') {
      if (--open == 0) add(i);
    } else if (c == ',' && open == 1) {
      add(i);
    }
  }
  return out;
}

/// Prints `before` and a value, on as many lines as the value needs.
void value(Paper& paper, std::size_t depth, const std::string& before, std::string_view json, std::string_view after) {
  const bool opens = json.starts_with('{') || json.starts_with('[');
  const auto members = opens ? members_of(json) : std::vector<std::string_view>();
  if (members.empty() || before.size() + json.size() + after.size() + 2 * depth <= kWidth)
    return paper.line(depth, before + std::string(json) + std::string(after));
  paper.line(depth, before + json.front());
  for (const auto& member : members) {
    // A member of an object begins with its name.
    std::size_t name = 0;
    if (json.front() == '{') {
      name = member.find("\": ");
      name = name == std::string_view::npos ? 0 : name + 3;
    }
    value(paper, depth + 1, std::string(member.substr(0, name)), member.substr(name),
          &member == &members.back() ? "" : ",");
  }
  paper.line(depth, json.back() + std::string(after));
}

void object(Paper& paper, std::size_t depth, const std::string& before, const std::vector<DraftEntry::Field>& fields,
            std::string_view after) {
  value(paper, depth, before, on_one_line(fields), after);
}

/// Prints a disabled entry, as a comment.
void off_object(Paper& paper, std::size_t depth, const std::string& before, const DraftEntry& entry) {
  if (!entry.fields.empty()) paper.comment(depth, before + on_one_line(entry), 2000);
}

/// Returns the short form of a listener with only an address, or of an upstream with only one server.
std::string short_form(const std::vector<DraftEntry::Field>& fields) {
  if (fields.size() != 1) return {};
  const auto& [key, json] = fields.front();
  if (key == "address") return json;
  const bool one_text = key == "servers" && json.starts_with("[\"") && json.find(", ") == std::string::npos;
  return one_text ? json.substr(1, json.size() - 2) : std::string();
}

/// Prints the entries of a list or an object, each with its comments.
void entries(Paper& paper, const std::vector<DraftEntry>& all) {
  const auto last = std::find_if(all.rbegin(), all.rend(), [](const auto& each) { return !each.off; });
  for (const auto& entry : all) {
    const bool is_last = last == all.rend() || &entry == &*last;
    const auto before = entry.name.empty() ? std::string() : json_text(entry.name) + ": ";
    if (&entry != &all.front() && (!entry.comments.empty() || !entry.remarks.empty())) paper.blank();
    comments_of(paper, 2, entry);
    if (entry.off) {
      off_object(paper, 2, before, entry);
      continue;
    }
    const auto fields = all_fields(entry);
    const std::string after = is_last ? "" : ",";
    if (const auto text = short_form(fields); !text.empty())
      paper.line(2, std::string(before).append(text).append(after));
    else
      object(paper, 2, before, fields, after);
  }
}

void section(Paper& paper, std::string_view key, char open, const std::vector<DraftEntry>& all, char close) {
  if (all.empty()) return;
  const auto name = json_text(key) + ": ";
  const auto& first = all.front();
  const auto text = short_form(all_fields(first));
  if (all.size() == 1 && open == '[' && !text.empty() && !first.off) {
    comments_of(paper, 1, first);
    paper.line(1, name + text + ",");
  } else {
    paper.line(1, name + open);
    entries(paper, all);
    paper.line(1, std::string(1, close) + ",");
  }
  paper.blank();
}

void single(Paper& paper, std::string_view key, const DraftEntry& entry) {
  const auto fields = all_fields(entry);
  comments_of(paper, 1, entry);
  if (!fields.empty()) object(paper, 1, json_text(key) + ": ", fields, ",");
  if (!fields.empty() || !entry.comments.empty() || !entry.remarks.empty()) paper.blank();
}

/// Prints top-level members of the file.
void members(Paper& paper, const DraftEntry& entry) {
  comments_of(paper, 1, entry);
  for (const auto& [key, json] : entry.fields) value(paper, 1, json_text(key) + ": ", json, ",");
  if (!entry.fields.empty() || !entry.remarks.empty()) paper.blank();
}

}  // namespace

std::string on_one_line(const DraftEntry& entry) { return on_one_line(all_fields(entry)); }

std::string write(const Draft& draft, const std::string& heading) {
  Paper paper;
  paper.comment(0, heading);
  paper.line(0, "{");
  for (const auto& remark : draft.remarks) paper.line(1, "// " + to_text(remark));
  if (!draft.remarks.empty()) paper.blank();
  section(paper, "listen", '[', draft.listeners, ']');
  members(paper, draft.process);
  single(paper, "identity", draft.identity);
  single(paper, "timeouts", draft.timeouts);
  single(paper, "bounds", draft.bounds);
  single(paper, "error_pages", draft.error_pages);
  single(paper, "redis", draft.redis);
  section(paper, "upstreams", '{', draft.upstreams, '}');
  section(paper, "limits", '{', draft.limits, '}');
  single(paper, "all_routes", draft.all_routes);
  section(paper, "decide", '[', draft.decide, ']');
  paper.line(1, "\"routes\": [");
  entries(paper, draft.routes);
  paper.line(1, "]");
  paper.line(0, "}");
  return paper.take();
}

}  // namespace headgate::translate
