using System.Security.Cryptography;

namespace QuickSilver.Bench.Roles;

/// <summary>What protects QuickSilver in a run.</summary>
public enum RunSecurity
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>A key of the run's own: connections are encrypted, datagrams sealed.</summary>
    Key,
}

/// <summary>Keys of runs.</summary>
internal static class RunKeys
{
    private const int KeyBytes = 32;

    /// <summary>For tables: which rows are secured, and that the others are not.</summary>
    public const string Legend =
        "QuickSilver is not secured (Security.UseNone) but where a row says so: a key of the run seals its datagrams.";

    /// <summary>Makes the key of a run, as base64; null: nothing protects it.</summary>
    public static string? Make(this RunSecurity security) => security == RunSecurity.Key
        ? Convert.ToBase64String(RandomNumberGenerator.GetBytes(KeyBytes)) : null;

    /// <summary>Protects a node by a run's key; null: by nothing.</summary>
    public static void UseRunKey(this SecurityOptions options, string? key)
    {
        if (key is null) options.UseNone();
        else options.UsePreSharedKey(PreSharedKey.FromBase64(key));
    }
}
