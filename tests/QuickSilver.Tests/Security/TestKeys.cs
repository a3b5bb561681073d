using System.Security.Cryptography;
using QuickSilver.Security;

namespace QuickSilver.Tests.Security;

/// <summary>Keys for tests, and what secures connections with them.</summary>
internal static class TestKeys
{
    public static string NewText() => Convert.ToBase64String(RandomNumberGenerator.GetBytes(32));

    /// <summary>Secures connections with keys: the first is used, all are accepted.</summary>
    public static ChannelSecurity Channel(params string[] keys)
    {
        AcceptedKeys? accepted = AcceptedKeys.TryRead(
            [.. keys.Select(PreSharedKey.FromBase64)], null, out string? fault);
        Assert.Null(fault);
        return new KeyChannelSecurity(accepted!);
    }

    /// <summary>Writes a file that only this user may read, or replaces it: no reader sees a part of it.</summary>
    public static string WriteFile(string folder, string name, string text)
    {
        string path = Path.Combine(folder, name);
        string fresh = $"{path}.new";
        File.WriteAllText(fresh, text);
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(fresh, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        File.Move(fresh, path, overwrite: true);
        return path;
    }
}
