#pragma once
// The tables of nginx's directives.

#include "translate/reading/nginx_syntax.hpp"
#include "translate/words.hpp"

#include "headgate/translate/translate.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::translate {

/// Returns the directives that other parts of the importer read.
std::span<const ImportWord> translated_directives() noexcept;
/// Returns the directives of an "upstream" block, without "server".
std::span<const ImportWord> upstream_directives() noexcept;
/// Returns whether translated_directives() has this directive.
bool is_translated(std::string_view directive);

struct DirectiveFate {
  Matter matter = Matter::lost;
  std::string why;
};
/// Returns what becomes of a directive that no other part of the importer reads.
DirectiveFate fate_of(const Directive& directive);

}  // namespace headgate::translate
