#pragma once
// The two tables of the Spring importer.

#include "translate/words.hpp"

namespace headgate::translate {

std::span<const ImportWord> spring_predicates() noexcept;
std::span<const ImportWord> spring_filters() noexcept;

}  // namespace headgate::translate
