#pragma once
// The table of each product. Its importer reads it, and import_words() returns it.

#include "headgate/translate/known.hpp"

namespace headgate::translate {

std::span<const ImportWord> nginx_words();
std::span<const ImportWord> ingress_words();
std::span<const ImportWord> kong_words();
std::span<const ImportWord> haproxy_words();
std::span<const ImportWord> spring_words();
std::span<const ImportWord> traefik_words();
std::span<const ImportWord> litellm_words();
std::span<const ImportWord> ratelimit_words();

/// Returns whether a row covers this name.
bool is_about(const ImportWord& known, std::string_view name) noexcept;

/// Returns the first row that covers this name, or null.
const ImportWord* find_word(std::span<const ImportWord> words, std::string_view name) noexcept;

}  // namespace headgate::translate
