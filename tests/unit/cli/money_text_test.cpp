#include "../../../src/cli/money_text.hpp"

#include <gtest/gtest.h>

namespace headgate::cli {
namespace {

TEST(MoneyText, ShowsMicroUnitsAsAnAmount) {
  EXPECT_EQ(permits_text("money", "126"), "0.000126");
  EXPECT_EQ(permits_text("money", "50000000"), "50");
  EXPECT_EQ(permits_text("token", "126"), "126");
  EXPECT_EQ(permits_text("money", ""), "");
  EXPECT_EQ(permits_text("money", "-"), "-");
}

}  // namespace
}  // namespace headgate::cli
