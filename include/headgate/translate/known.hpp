#pragma once
// The tables of what the importers know: directives, plugins, annotations, rules, filters and middlewares of other
// products. The importers read them, and docs/imports.md is generated from them.

#include "headgate/translate/translate.hpp"

#include <span>
#include <string>
#include <string_view>

namespace headgate::translate {

/// A word of another product's configuration and what becomes of it.
struct ImportWord {
  std::string_view name;            ///< name as the product writes it; a '*' at the end stands for any rest
  Matter matter = Matter::differs;  ///< matter of the remark if there is no equivalent
  /// reason why there is no equivalent; if `becomes` is set, the reason why there is none in some cases
  std::string_view why = {};
  std::string_view becomes = {};  ///< configuration keys, separated by ", "; empty if there is no equivalent
};

/// Returns all words that the importer of the product knows. Any other word closes the routes that it may protect, or
/// is reported as unknown if it cannot protect any.
std::span<const ImportWord> import_words(Product product);

/// Returns the tables of docs/imports.md, one section for each product.
std::string import_tables();

}  // namespace headgate::translate
