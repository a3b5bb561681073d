namespace QuickSilver.Protocol.Tests.Security;

public sealed class ReferenceAegisTests
{
    // Test vectors 1 and 2 of the specification, draft-irtf-cfrg-aegis-aead, AEGIS-128L.
    [Theory]
    [InlineData(
        "00000000000000000000000000000000",
        "c1c0e58bd913006feba00f4b3cc3594e",
        "25835bfbb21632176cf03840687cb968cace4617af1bd0f7d064c639a5c79ee4")]
    [InlineData(
        "", "", "1360dc9db8ae42455f6e5b6a9d488ea4f2184c4e12120249335c4ee84bafe25d")]
    public void ItIsTheCipherOfTheSpecification(string text, string ciphertext, string tag)
    {
        (byte[] sealing, byte[] code) = ReferenceAegis.Seal(
            Convert.FromHexString("10010000000000000000000000000000"),
            Convert.FromHexString("10000200000000000000000000000000"),
            [],
            Convert.FromHexString(text));
        Assert.Equal(ciphertext, Convert.ToHexStringLower(sealing));
        Assert.Equal(tag, Convert.ToHexStringLower(code));
    }
}
