// Writes the reference of the configuration as Markdown, from the table.

#include "schema.hpp"

#include "headgate/config/load.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headgate::config {
namespace {

using Form = Shape::Form;

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

/// Returns the anchor of a section's heading, as the sites that show Markdown of repositories make it.
std::string anchor_of(std::string_view path) {
  std::string out;
  for (const char c : path)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') out += c;
  return out;
}

/// Writes a list of links to the sections: one line per key of the whole file, with the sections below it.
class Contents {
 public:
  std::string run(const Section& root) {
    below(root);
    std::string out;
    for (auto& line : lines_) {
      std::sort(line.begin(), line.end());
      out += "- " + link(line.front(), line.front());
      for (const auto path : std::span(line).subspan(1))
        out += (path == line[1] ? ": " : ", ") + link(path.substr(path.find('.', line.front().size()) + 1), path);
      out += '\n';
    }
    return out + '\n';
  }

 private:
  static std::string link(std::string_view words, std::string_view path) {
    return "[`" + std::string(words) + "`](#" + anchor_of(path) + ')';
  }

  void below(const Section& section) {
    if (!written_.insert(section.name).second) return;
    if (!section.path.empty()) add(section.path);
    for (const Key& key : section.keys) below(*key.shape);
  }

  void below(const Shape& shape) {
    if (shape.section != nullptr) below(*shape.section);
    if (shape.of != nullptr) below(*shape.of);
    for (const Shape* each : shape.forms) below(*each);
  }

  void add(std::string_view path) {
    const auto top = [](std::string_view of) { return of.substr(0, of.find_first_of(".[")); };
    const auto line =
        std::find_if(lines_.begin(), lines_.end(), [&](const auto& paths) { return top(paths.front()) == top(path); });
    if (line != lines_.end())
      line->push_back(path);
    else
      lines_.push_back({path});
  }

  std::vector<std::vector<std::string_view>> lines_;
  std::set<std::string_view> written_;
};

class ReferenceWriter {
 public:
  std::string run(const Section& root) {
    section(root);
    return std::move(out_);
  }

 private:
  void section(const Section& section) {
    if (!written_.insert(section.name).second) return;
    if (!section.path.empty())
      out_ += "\n### `" + std::string(section.path) + "`\n\n" + std::string(section.doc) + "\n\n";
    if (refers(section)) return;
    out_ += "| key | takes | default | meaning |\n|---|---|---|---|\n";
    for (const Key& key : section.keys) {
      const bool one = std::find(section.one_of.begin(), section.one_of.end(), key.name) != section.one_of.end();
      const bool is_said = key.presence == Presence::optional && !one && key.fallback.empty();
      const auto [meaning, usual] = is_said ? meaning_and_default(doc_of(key)) : std::pair(doc_of(key), std::string());
      const std::string fallback = key.presence == Presence::required ? "required"
                                   : one                              ? "one of " + among(section.one_of)
                                   : is_said                          ? cell(usual)
                                                                      : '`' + cell(fallback_of(key)) + '`';
      out_ +=
          "| `" + std::string(key.name) + "` | " + cell(takes(*key.shape)) + " | " + fallback + " | " + cell(meaning);
      if (shows_example(key)) out_ += ". Example: `" + cell(key.example) + '`';
      out_ += " |\n";
    }
    for (const Key& key : section.keys) below(*key.shape);
  }

  /// Writes only the names of the keys and a link if the table of an earlier section has all keys of `section`. Returns
  /// whether it did.
  bool refers(const Section& section) {
    for (const Section* const other : tables_) {
      const auto is_there = [&](const Key& key) {
        return std::any_of(other->keys.begin(), other->keys.end(), [&](const Key& each) {
          return each.name == key.name && each.doc == key.doc && each.shape == key.shape;
        });
      };
      if (!std::all_of(section.keys.begin(), section.keys.end(), is_there)) continue;
      out_ += "Keys, as in [`" + std::string(other->path) + "`](#" + anchor_of(other->path) + "): ";
      for (const Key& key : section.keys)
        out_ += (&key == section.keys.data() ? "`" : ", `") + std::string(key.name) + '`';
      out_ += ".\n";
      return true;
    }
    tables_.push_back(&section);
    return false;
  }

  void below(const Shape& shape) {
    if (shape.section != nullptr) section(*shape.section);
    if (shape.of != nullptr) below(*shape.of);
    for (const Shape* each : shape.forms) below(*each);
  }

  /// Splits a description that ends with "Default: ..." into the text before that and the default.
  static std::pair<std::string, std::string> meaning_and_default(const std::string& doc) {
    constexpr std::string_view kDefault = ". Default: ";
    const auto at = doc.rfind(kDefault);
    if (at == std::string::npos) return {doc, ""};
    return {doc.substr(0, at), doc.substr(at + kDefault.size())};
  }

  /// Returns whether the example shows more than the other columns and the section of the key do.
  static bool shows_example(const Key& key) {
    const bool plain = key.shape->form == Form::boolean || key.shape->form == Form::integer ||
                       key.shape->form == Form::choice || key.shape->form == Form::duration ||
                       key.shape->form == Form::size || key.shape->form == Form::section || key.shape->path != nullptr;
    return !plain && !key.example.empty() && key.example != key.fallback &&
           key.example != '"' + std::string(key.fallback) + '"';
  }

  static std::string among(std::span<const std::string_view> keys) {
    std::string out;
    for (const auto each : keys) out += (out.empty() ? "`" : ", `") + std::string(each) + '`';
    return out;
  }

  static std::string takes(const Shape& shape) {
    // The cells of a table need no articles.
    const auto article = shape.what.starts_with("a ") ? 2 : shape.what.starts_with("an ") ? 3 : 0;
    std::string out(shape.form == Form::integer ? "integer" : shape.what.substr(article));
    if (shape.form == Form::integer) out += ", " + std::to_string(shape.least) + " to " + std::to_string(shape.most);
    if (shape.form == Form::size) out += ", " + size_text(shape.least) + " to " + size_text(shape.most);
    if (shape.form != Form::choice) return out;
    out.clear();
    for (const auto word : words_of(shape)) out += (out.empty() ? "`" : ", `") + std::string(word) + '`';
    return out;
  }

  std::string out_;
  std::set<std::string_view> written_;
  std::vector<const Section*> tables_;
};

}  // namespace

std::string reference_of(const Section& root) { return ReferenceWriter().run(root); }

std::string reference() {
  return Contents().run(root_section()) + "### The whole file\n\n" + reference_of(root_section());
}

}  // namespace headgate::config
