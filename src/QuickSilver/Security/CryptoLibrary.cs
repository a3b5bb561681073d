using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace QuickSilver.Security;

/// <summary>
/// Finds out whether the framework will find OpenSSL, which it needs on Linux for all cryptography. Without it the
/// framework ends the process at the first use. So a node looks first: the ids of clusters are drawn by it too, also
/// where nothing is secured.
/// </summary>
internal static class CryptoLibrary
{
    // The names that the framework tries, in its order.
    private static readonly string[] Names =
        ["libssl.so.3", "libssl.so.1.1", "libssl.so.1.0.2", "libssl.so.1.0.0", "libssl.so.10", "libssl.so"];

    private static readonly Lazy<bool> Found = new(static () => IsFound(CanLoad));

    /// <summary>Checks once in a process.</summary>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.CryptographyMissing"/>.</exception>
    public static void ThrowIfMissing()
    {
        // A program that is compiled ahead of time may contain the library.
        if (!OperatingSystem.IsLinux() || !RuntimeFeature.IsDynamicCodeSupported || Found.Value) return;
        throw Missing();
    }

    /// <summary>True when one of the names can be loaded.</summary>
    internal static bool IsFound(Func<string, bool> canLoad)
    {
        string? chosen = Environment.GetEnvironmentVariable("CLR_OPENSSL_VERSION_OVERRIDE");
        return (chosen is { Length: > 0 } && canLoad($"libssl.so.{chosen}")) || Array.Exists(Names, canLoad.Invoke);
    }

    /// <summary>The exception of a system without the library.</summary>
    internal static QuickSilverException Missing() => new(
        ErrorCode.CryptographyMissing,
        "OpenSSL (libssl) is not on this system, and .NET needs it for the cryptography that every node of QuickSilver "
        + "uses. Install the package libssl3 (Debian, Ubuntu, Alpine) or openssl-libs (Fedora, RHEL), or use an image "
        + "of .NET that has it.");

    // It stays loaded: the framework loads it next.
    private static bool CanLoad(string name) => NativeLibrary.TryLoad(name, out _);
}
