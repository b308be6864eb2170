#include "placeholders.hpp"

#include "codes.hpp"
#include "config/formats/edits.hpp"
#include "paths.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/read_file.hpp"
#include "headgate/core/text.hpp"
#include "headgate/core/utf8.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

namespace headgate::config {
namespace {

bool is_variable(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && all_alnum(name, "_");
}

bool is_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = character_length(text, at);
    if (length == 0 || text[at] == '\0') return false;
    at += length;
  }
  return true;
}

bool has_marks(std::string_view text) {
  return text.find_first_of(std::string{kVariableBegins, kVariableEnds}) != std::string_view::npos;
}

class Replacer {
 public:
  Replacer(Node& node, const std::string& directory, Report& report, std::vector<std::string>& named)
      : node_(node), directory_(directory), report_(report), named_(named), variables_(takes_variables(node)) {}

  void run() {
    const std::string_view text = node_.written;
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      if (text.substr(at).starts_with("$${")) {
        out += "${";
        at += 3;
      } else if (text.substr(at).starts_with("${")) {
        const auto end = text.find('}', at);
        if (end == std::string_view::npos) {
          return fail("this placeholder is not closed",
                      "close it with '}', or write $${ for the two characters themselves");
        }
        const auto inside = text.substr(at + 2, end - at - 2);
        at = end + 1;
        if (variables_ && gateway::read_variable(inside)) {
          out += kVariableBegins;
          out += inside;
          out += kVariableEnds;
          continue;
        }
        const auto value = value_of(inside);
        if (!value) return;
        // Without this check, the value of a placeholder could contain variables of requests.
        if (variables_ && has_marks(*value))
          return fail(
              "the value of " + in_quotes("${" + std::string(inside) + "}") + " cannot be sent in a header field",
              "it has a control character");
        out += *value;
        node_.replaced = true;
      } else {
        out += text[at++];
      }
    }
    node_.text = std::move(out);
  }

 private:
  void fail(std::string message, std::string help) {
    report_.error(code::kPlaceholder, node_, std::move(message), std::move(help));
    node_.kind = Kind::broken;
  }

  /// Returns a hint that says where variables of requests exist, or an empty text if `name` is not such a variable.
  std::string of_requests(std::string_view name) const {
    if (variables_) return "; variables of a request are: " + joined(gateway::kVariables, ", ");
    if (!gateway::read_variable(name)) return {};
    return "; ${" + std::string(name) +
           "} is otherwise a variable of requests, for values in \"request_headers\" and \"response_headers\"";
  }

  std::optional<std::string> value_of(std::string_view inside) {
    if (inside.starts_with("file:")) return file(std::string(inside.substr(5)));
    const auto dash = inside.find(":-");
    const std::string name(inside.substr(0, dash));
    if (!is_variable(name)) {
      fail(in_quotes("${" + std::string(inside) + "}") + " is not a placeholder",
           "write ${NAME}, ${NAME:-default} or ${file:/path}; $${ stands for the two characters themselves" +
               of_requests(name));
      return std::nullopt;
    }
    const char* value = std::getenv(name.c_str());
    const bool usable = value != nullptr && (*value != '\0' || dash == std::string_view::npos);
    if (!usable && dash != std::string_view::npos) return std::string(inside.substr(dash + 2));
    if (!usable) {
      fail("the environment variable " + in_quotes(name) + " is not set",
           "set it, or write ${" + name + ":-default}" + of_requests(name));
      return std::nullopt;
    }
    if (is_text(value)) return std::string(value);
    fail("the environment variable " + in_quotes(name) + " is not UTF-8 text", "set it to text");
    return std::nullopt;
  }

  std::optional<std::string> file(const std::string& path) {
    auto content = read_text_file(named_.emplace_back(resolved(path, directory_)));
    if (!content.text) {
      fail("the file " + in_quotes(path) + " cannot be read: " + content.why_not,
           "${file:PATH} stands for the content of the file");
      return std::nullopt;
    }
    // Editors and `echo` end a file with a newline, which is not part of the secret.
    if (content.text->ends_with('\n')) content.text->pop_back();
    if (content.text->ends_with('\r')) content.text->pop_back();
    return std::move(content.text);
  }

  Node& node_;
  const std::string& directory_;
  Report& report_;
  std::vector<std::string>& named_;
  bool variables_;
};

}  // namespace

FileText read_file(const std::string& path, std::size_t largest) {
  auto text = headgate::read_file(path, largest);
  if (text.has_value()) return {std::move(*text), {}};
  const auto& trouble = text.error();
  if (trouble.kind == FileTrouble::Kind::too_large) return {std::nullopt, "it is larger than " + size_text(largest)};
  if (trouble.kind == FileTrouble::Kind::directory) return {std::nullopt, "it is not a regular file"};
  const bool missing = trouble.kind == FileTrouble::Kind::system && trouble.error == ENOENT;
  return {std::nullopt, missing ? "there is no such file" : trouble.text()};
}

FileText read_text_file(const std::string& path, std::size_t largest) {
  auto file = read_file(path, largest);
  if (!file.text || is_text(*file.text)) return file;
  return {std::nullopt, "it is not UTF-8 text"};
}

void replace_placeholders(Document& document, const std::string& directory, Report& report,
                          std::vector<std::string>& named) {
  for (Node& node : document.nodes) {
    if (node.kind != Kind::string) continue;
    if (node.written.starts_with('$') && is_variable(std::string_view(node.written).substr(1))) {
      // The text is not quoted, because it may be a secret.
      report.warning(code::kPlaceholder, node, "this text is not a placeholder and is used as it is",
                     "write ${NAME} for the value of the environment variable NAME");
    }
    if (has_marks(node.written) && takes_variables(node)) {
      report.error(code::kLiteral, node, "this value cannot be sent in a header field", "it has a control character");
      node.kind = Kind::broken;
      continue;
    }
    if (node.written.find("${") != std::string::npos) Replacer(node, directory, report, named).run();
  }
}

}  // namespace headgate::config
