// The Homebrew formula of the command line.

/**
 * Returns the formula. It installs the archive of the package, which needs Node.js and no other package.
 *
 * @param {object} release
 * @param {string} release.description
 * @param {string} release.homepage
 * @param {string} release.url of the archive
 * @param {string} release.sha256 of the archive
 */
export const formula = ({ description, homepage, sha256, url }) =>
  `class Quarry < Formula
  desc ${JSON.stringify(description)}
  homepage ${JSON.stringify(homepage)}
  url ${JSON.stringify(url)}
  sha256 ${JSON.stringify(sha256)}
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    generate_completions_from_executable(bin/"quarry", "completions")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/quarry --version")
    assert_match "usdPrice", shell_output("#{bin}/quarry --sandbox token price 0xf124a828c0fc24a9f753c3ebb18ef93c74a67993 -o json")
  end
end
`
