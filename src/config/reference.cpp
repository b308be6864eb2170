// Writes the reference of the configuration as Markdown, from the table.

#include "schema.hpp"

#include "headgate/config/load.hpp"

#include <algorithm>
#include <set>

namespace headgate::config {
namespace {

using Form = Shape::Form;

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

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
    out_ += "| key | takes | default | meaning |\n|---|---|---|---|\n";
    for (const Key& key : section.keys) {
      const bool one = std::find(section.one_of.begin(), section.one_of.end(), key.name) != section.one_of.end();
      const std::string fallback = key.presence == Presence::required ? "required"
                                   : one                              ? "one of " + among(section.one_of)
                                   : key.fallback.empty()             ? ""
                                                                      : '`' + cell(fallback_of(key)) + '`';
      out_ += "| `" + std::string(key.name) + "` | " + cell(takes(*key.shape)) + " | " + fallback + " | " +
              cell(doc_of(key));
      if (!key.example.empty()) out_ += "; as in `" + cell(key.example) + '`';
      out_ += " |\n";
    }
    for (const Key& key : section.keys) below(*key.shape);
  }

  void below(const Shape& shape) {
    if (shape.section != nullptr) section(*shape.section);
    if (shape.of != nullptr) below(*shape.of);
    for (const Shape* each : shape.forms) below(*each);
  }

  static std::string among(std::span<const std::string_view> keys) {
    std::string out;
    for (const auto each : keys) out += (out.empty() ? "`" : ", `") + std::string(each) + '`';
    return out;
  }

  static std::string takes(const Shape& shape) {
    std::string out(shape.what);
    if (shape.form == Form::integer) out += ", " + std::to_string(shape.least) + " to " + std::to_string(shape.most);
    if (shape.form == Form::size) out += ", " + size_text(shape.least) + " to " + size_text(shape.most);
    if (shape.form != Form::choice) return out;
    out.clear();
    for (const auto word : words_of(shape)) out += (out.empty() ? "`" : ", `") + std::string(word) + '`';
    return out;
  }

  std::string out_;
  std::set<std::string_view> written_;
};

}  // namespace

std::string reference_of(const Section& root) { return ReferenceWriter().run(root); }

std::string reference() { return reference_of(root_section()); }

}  // namespace headgate::config
