using System.Security.Cryptography;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Agents;

/// <summary>
/// What an agent and its coordinator both know, and nobody else: the bytes of a file, white space around them left out.
/// It proves who speaks; it hides nothing, so anyone who listens on the network reads the orders.
/// </summary>
internal sealed class AgentKey
{
    /// <summary>Length of the shortest key, and of a nonce.</summary>
    public const int LeastBytes = 32;

    private readonly byte[] _key;

    private AgentKey(byte[] key) => _key = key;

    /// <summary>Makes a new one, of digits: white space at the ends of a file is not the key's.</summary>
    public static AgentKey Generate() => new(
        System.Text.Encoding.ASCII.GetBytes(RandomNumberGenerator.GetHexString(2 * LeastBytes)));

    /// <summary>Reads a file.</summary>
    /// <exception cref="RunFailedException">It cannot be read, or holds too little.</exception>
    public static AgentKey Read(string path)
    {
        byte[] bytes;
        try
        {
            bytes = File.ReadAllBytes(path);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new RunFailedException($"the key file cannot be read: {failure.Message}");
        }
        byte[] key = [.. bytes.AsSpan().Trim(" \t\r\n"u8)];
        if (key.Length < LeastBytes)
            throw new RunFailedException($"the key in {path} has {key.Length} bytes, less than {LeastBytes}");
        return new AgentKey(key);
    }

    /// <summary>Writes it to a new file that only its owner reads.</summary>
    public void Write(string path)
    {
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows()) options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using var file = new FileStream(path, options);
        file.Write(_key);
    }

    /// <summary>What only one who knows the key can say about two nonces.</summary>
    /// <param name="label">What it is for, so that one answer never serves for another.</param>
    /// <param name="agent">The agent's nonce.</param>
    /// <param name="coordinator">The coordinator's nonce.</param>
    public byte[] Prove(string label, ReadOnlySpan<byte> agent, ReadOnlySpan<byte> coordinator)
    {
        using var hmac = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, _key);
        hmac.AppendData(System.Text.Encoding.UTF8.GetBytes(label));
        hmac.AppendData([0]);
        hmac.AppendData(agent);
        hmac.AppendData(coordinator);
        return hmac.GetHashAndReset();
    }
}
