// Files of users, and passwords.

#include "headgate/identity/users.hpp"

#include "headgate/identity/basic_credentials.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::identity::test {
namespace {

const std::string kWonderland = "$2y$04$YsYHolJpTs2HZo6Be5aG9.dGzxgn9M2H5vDz1KHwGIu3BTQhGjyHm";

std::string fault_of(const std::string& text) {
  const auto read = read_users(text);
  return read.has_value() ? "none" : std::to_string(read.error().line) + ": " + read.error().message;
}

TEST(UserFile, HasANameAndAHashOnEachLine) {
  const auto users =
      read_users("# people\n\nann:" + kWonderland + "\r\nb b:" + kWonderland + ":a comment\n\xC3\xA4:" + kWonderland);
  ASSERT_TRUE(users.has_value()) << users.error().message;
  EXPECT_EQ(users->size(), 3U);
  for (const auto* const name : {"ann", "b b", "\xC3\xA4"}) {
    ASSERT_NE(users->hash_of(name), nullptr) << name;
    EXPECT_EQ(*users->hash_of(name), kWonderland);
  }
  EXPECT_EQ(users->hash_of("Ann"), nullptr);
  EXPECT_EQ(users->hash_of(""), nullptr);
  EXPECT_EQ(read_users("")->size(), 0U);
}

TEST(UserFile, NamesTheFormatThatItDoesNotTake) {
  const std::string only = "; only bcrypt is accepted";
  EXPECT_EQ(fault_of("ann:" + kWonderland + "\nben:$apr1$cH0dJ1c2$wqR9vQ2Wc4qOQ0Cz6eYbX/"),
            "2: this hash is Apache's MD5 ($apr1$)" + only);
  EXPECT_EQ(fault_of("ann:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g="), "1: this hash is SHA-1 without a salt ({SHA})" + only);
  EXPECT_EQ(fault_of("ann:{SSHA}x"), "1: this hash is SHA-1 ({SSHA})" + only);
  EXPECT_EQ(fault_of("ann:{PLAIN}secret"), "1: this hash is a text ({PLAIN})" + only);
  EXPECT_EQ(fault_of("ann:$1$a$b"), "1: this hash is MD5 ($1$)" + only);
  EXPECT_EQ(fault_of("ann:$5$a$b"), "1: this hash is SHA-256 of crypt ($5$)" + only);
  EXPECT_EQ(fault_of("ann:$6$a$b"), "1: this hash is SHA-512 of crypt ($6$)" + only);
  EXPECT_EQ(fault_of("ann:$y$j9T$a$b"), "1: this hash is yescrypt ($y$)" + only);
  EXPECT_EQ(fault_of("ann:$2x$04$YsYHolJpTs2HZo6Be5aG9.dGzxgn9M2H5vDz1KHwGIu3BTQhGjyHm"),
            "1: this hash was made by a faulty bcrypt ($2x$)" + only);
  EXPECT_EQ(fault_of("ann:rqXexS6ZhobKA"), "1: this is a DES hash of crypt" + only);
  EXPECT_EQ(fault_of("ann:secret"), "1: this is not a bcrypt hash, perhaps a password in clear text");
}

TEST(UserFile, RefusesWhatNoPasswordWouldMatch) {
  EXPECT_EQ(fault_of("ann"), "1: there is no ':' between a name and a hash");
  EXPECT_EQ(fault_of("ann:"), "1: there is no hash after the name");
  EXPECT_EQ(fault_of(":" + kWonderland),
            "1: a name is 1 to 255 bytes of UTF-8 without control characters, and without blanks around it");
  EXPECT_EQ(fault_of("a\tb:" + kWonderland),
            "1: a name is 1 to 255 bytes of UTF-8 without control characters, and without blanks around it");
  EXPECT_EQ(fault_of(" ann:" + kWonderland),
            "1: a name is 1 to 255 bytes of UTF-8 without control characters, and without blanks around it");
  EXPECT_EQ(fault_of("\xE4:" + kWonderland),
            "1: a name is 1 to 255 bytes of UTF-8 without control characters, and without blanks around it");
  EXPECT_EQ(fault_of("ann:" + kWonderland + "x"), "1: this hash of bcrypt is damaged");
  EXPECT_EQ(fault_of("ann:" + kWonderland.substr(0, 59)), "1: this hash of bcrypt is damaged");
  EXPECT_EQ(fault_of("ann:" + kWonderland.substr(0, 59) + "n"), "1: this hash of bcrypt is damaged")
      << "no password has a digest that ends so";
  auto salt = kWonderland;
  salt[28] = 'z';
  EXPECT_EQ(fault_of("ann:" + salt), "1: this hash of bcrypt is damaged");
  EXPECT_EQ(fault_of("ann:" + kWonderland + "\nben:" + kWonderland + "\nann:" + kWonderland),
            "3: \"ann\" stands in line 1, too");
}

TEST(UserFile, RefusesACostThatWouldKeepAProcessorBusy) {
  auto dear = kWonderland;
  dear.replace(4, 2, "15");
  EXPECT_EQ(fault_of("ann:" + dear),
            "1: the cost of this hash is 15; it may be from 4 to 14, at which a check takes a "
            "second");
  dear.replace(4, 2, "14");
  EXPECT_EQ(fault_of("ann:" + dear), "none");
  dear.replace(4, 2, "03");
  EXPECT_NE(fault_of("ann:" + dear), "none");
}

TEST(UserFile, SaysNoHashInAMistake) {
  const auto read = read_users("ann:$apr1$cH0dJ1c2$secret");
  ASSERT_TRUE(read.has_error());
  EXPECT_EQ(read.error().message.find("secret"), std::string::npos);
  EXPECT_EQ(read.error().help, "make it again with bcrypt: htpasswd -B -C 10 FILE NAME");
}

TEST(UserFile, IsBounded) {
  std::string many;
  for (std::size_t i = 0; i <= kMaxUsers; ++i) many += "u" + std::to_string(i) + ':' + kWonderland + '\n';
  EXPECT_EQ(fault_of(many), "50001: there are more than 50000 users");
  EXPECT_EQ(fault_of(std::string(kLongestUserFile + 1, '\n')), "1: the file is larger than 8 MiB");
}

TEST(Passwords, AreRightInEachSpellingOfBcrypt) {
  for (const char spelling : {'a', 'b', 'y'}) {
    auto hash = kWonderland;
    hash[2] = spelling;
    EXPECT_TRUE(is_password(SecretText("wonderland"), hash)) << spelling;
    EXPECT_FALSE(is_password(SecretText("wonderlands"), hash)) << spelling;
    EXPECT_FALSE(is_password(SecretText(""), hash)) << spelling;
  }
  EXPECT_FALSE(is_password(SecretText("wonderland"), "$2y$04$"));
  EXPECT_FALSE(is_password(SecretText(std::string(600, 'x')), kWonderland));
}

TEST(Passwords, ShareANameIfBcryptCannotTellThemApart) {
  const PasswordNames names;
  const std::string long_one(72, 'x');
  const auto name = names.name("ann", kWonderland, true, "192.0.2.7", long_one);
  EXPECT_EQ(name, names.name("ann", kWonderland, true, "192.0.2.7", long_one + "y"));
  EXPECT_NE(name, names.name("ann", kWonderland, true, "192.0.2.7", long_one.substr(1)));
  EXPECT_NE(name, names.name("ann", kWonderland, false, "192.0.2.7", long_one));
  EXPECT_NE(name, names.name("ben", kWonderland, true, "192.0.2.7", long_one));
  EXPECT_NE(name, names.name("ann", kWonderland + " ", true, "192.0.2.7", long_one));
  EXPECT_NE(name, names.name("ann", kWonderland, true, "192.0.2.7", std::string(512, 'x'))) << "never right";
  EXPECT_NE(name, PasswordNames().name("ann", kWonderland, true, "192.0.2.7", long_one)) << "the secret is another one";
}

BasicForm form_of(std::string_view value) {
  BasicCredentials out;
  return read_basic(value, out);
}

TEST(BasicCredentialsText, AreANameAndAPassword) {
  BasicCredentials out;
  ASSERT_EQ(read_basic("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", out), BasicForm::good);
  EXPECT_EQ(out.user, "Aladdin");
  EXPECT_EQ(out.password.view(), "open sesame");
  ASSERT_EQ(read_basic("bASIC dGVzdDoxMjPCow==", out), BasicForm::good) << "RFC 7617 section 2.1";
  EXPECT_EQ(out.user, "test");
  EXPECT_EQ(out.password.view(), "123\xC2\xA3");
  ASSERT_EQ(read_basic("Basic YTpiOmM=", out), BasicForm::good);
  EXPECT_EQ(out.password.view(), "b:c");
  ASSERT_EQ(read_basic("Basic Og==", out), BasicForm::good);
  EXPECT_EQ(out.user + std::string(out.password.view()), "");
}

TEST(BasicCredentialsText, AreStrict) {
  for (const auto* const other : {"", "Bearer QTpi", "Basi QTpi", "BasicQTpi", "Digest x"})
    EXPECT_EQ(form_of(other), BasicForm::other) << other;
  for (const auto* const bad :
       {"Basic", "Basic QTpiYw", "Basic QTpi YzpkZQ==", "Basic QTpi=", "Basic QTpi====", "Basic QTpiYx==", "Basic QTp-",
        "Basic QUJD", "Basic QToA", "Basic QTp/", "Basic QTpi,x"})
    EXPECT_EQ(form_of(bad), BasicForm::malformed) << bad;
}

}  // namespace
}  // namespace headgate::identity::test
