using System.Security.Cryptography;
using QuickSilver.Cli.Printing;
using QuickSilver.Security;

namespace QuickSilver.Cli.Commands;

/// <summary>Files of keys, told by fingerprints. A fingerprint says nothing about its key that helps to guess it: it is
/// a part of a hash of 32 random bytes.</summary>
internal static class KeyItems
{
    private const string Prefix = "qs-";
    private const int PrintBytes = 8;

    // Another use of the key has another label.
    private static ReadOnlySpan<byte> Label => "quicksilver key fingerprint"u8;

    /// <summary>The fingerprints of a file's keys, the first of the key that is used.</summary>
    /// <exception cref="CommandFailure">The file cannot be used.</exception>
    public static IReadOnlyList<string> Read(string file)
    {
        if (KeyFile.TryRead(file, FileTrust.Shared, out IReadOnlyList<byte[]> keys) is { } fault)
            throw CommandFailure.Of(fault + ".");
        var prints = new List<string>(keys.Count);
        foreach (byte[] key in keys)
        {
            prints.Add(Prefix + Convert.ToHexStringLower(HMACSHA256.HashData(key, Label).AsSpan(0, PrintBytes)));
            CryptographicOperations.ZeroMemory(key);
        }
        return prints;
    }

    /// <summary>As <see cref="Read"/>; a fingerprint stands for a file with its key.</summary>
    public static IReadOnlyList<string> ReadOrTake(string fileOrPrint) =>
        fileOrPrint.StartsWith(Prefix, StringComparison.Ordinal) && !File.Exists(fileOrPrint)
            ? [fileOrPrint] : Read(fileOrPrint);

    /// <summary>The item of a file.</summary>
    public static PrintItem Of(string file, IReadOnlyList<string> prints) =>
        new PrintItem("key").Add("file", file).Add("fingerprints", prints);
}
