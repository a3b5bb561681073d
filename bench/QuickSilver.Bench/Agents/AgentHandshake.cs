using System.Security.Cryptography;
using System.Text.Json;

namespace QuickSilver.Bench.Agents;

/// <summary>
/// How agent and coordinator prove to each other that they know the key. The agent begins with its version and a nonce;
/// the coordinator answers with its own and a proof; from then on every line proves itself
/// (<see cref="AgentConnection"/>). Who fails hears nothing more.
/// </summary>
internal static class AgentHandshake
{
    /// <summary>Of the protocol.</summary>
    public const int Version = 1;

    /// <summary>Bytes of the longest line before the key is proven.</summary>
    public const int MostBytes = 512;

    private const string ProofLabel = "quicksilver agent 1 proof";
    private const string KeyLabel = "quicksilver agent 1 lines";

    /// <summary>The agent's side.</summary>
    /// <returns>The connection; null if the other end does not know the key, or says anything else.</returns>
    /// <exception cref="IOException">The connection broke.</exception>
    public static async Task<AgentConnection?> AcceptAsync(Stream stream, AgentKey key, CancellationToken ct)
    {
        byte[] own = RandomNumberGenerator.GetBytes(AgentKey.LeastBytes);
        await WriteAsync(stream, JsonSerializer.SerializeToUtf8Bytes(
            new AgentGreeting(Version, own), AgentJson.Default.AgentGreeting), ct);
        var reader = new LineReader(stream, MostBytes);
        try
        {
            if (await reader.ReadAsync(ct) is not { } line) return null;
            AgentProof? said = JsonSerializer.Deserialize(line.Span, AgentJson.Default.AgentProof);
            if (said is not { Version: Version, Nonce.Length: AgentKey.LeastBytes, Proof: not null }) return null;
            return CryptographicOperations.FixedTimeEquals(said.Proof, key.Prove(ProofLabel, own, said.Nonce))
                ? new AgentConnection(stream, reader, key.Prove(KeyLabel, own, said.Nonce), isAgent: true) : null;
        }
        catch (Exception failure) when (failure is JsonException or InvalidDataException)
        {
            return null;
        }
    }

    /// <summary>The coordinator's side.</summary>
    /// <exception cref="InvalidDataException">The other end is no agent of this version.</exception>
    /// <exception cref="IOException">The connection broke.</exception>
    public static async Task<AgentConnection> ConnectAsync(Stream stream, AgentKey key, CancellationToken ct)
    {
        var reader = new LineReader(stream, MostBytes);
        AgentGreeting? greeting;
        try
        {
            greeting = await reader.ReadAsync(ct) is { } line
                ? JsonSerializer.Deserialize(line.Span, AgentJson.Default.AgentGreeting) : null;
        }
        catch (JsonException)
        {
            greeting = null;
        }
        if (greeting is null) throw new InvalidDataException("what answers there is no agent");
        if (greeting.Version != Version)
        {
            throw new InvalidDataException(
                $"speaks version {greeting.Version} of the protocol, not {Version}: build both from the same commit");
        }
        if (greeting.Nonce is not { Length: AgentKey.LeastBytes })
            throw new InvalidDataException("what answers there is no agent");
        byte[] own = RandomNumberGenerator.GetBytes(AgentKey.LeastBytes);
        var proof = new AgentProof(Version, own, key.Prove(ProofLabel, greeting.Nonce, own));
        await WriteAsync(stream, JsonSerializer.SerializeToUtf8Bytes(proof, AgentJson.Default.AgentProof), ct);
        return new AgentConnection(stream, reader, key.Prove(KeyLabel, greeting.Nonce, own), isAgent: false);
    }

    private static ValueTask WriteAsync(Stream stream, byte[] text, CancellationToken ct) =>
        stream.WriteAsync((byte[])[.. text, (byte)'\n'], ct);
}
