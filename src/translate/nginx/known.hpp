#pragma once
// What becomes of the directives of nginx that are no part of routes, servers and limits.

#include "translate/reading/nginx_syntax.hpp"

#include "headgate/translate/translate.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::translate {

/// Whether another part of the translation reads it.
bool is_translated(std::string_view directive);

struct DirectiveFate {
  Matter matter = Matter::lost;
  std::string why;
};
/// Why a directive that nothing else reads is not translated.
DirectiveFate fate_of(const Directive& directive);

}  // namespace headgate::translate
