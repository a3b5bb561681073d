using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Invariants;

namespace QuickSilver.Testing.Security;

/// <summary>
/// The cryptography of one node of a run, with the ciphers that this node has. K6: a node gets keys of these alone, and
/// of no lesser one than the best that all nodes of the run have.
/// </summary>
/// <param name="run">The run.</param>
/// <param name="suite">The cryptography of the run.</param>
/// <param name="ciphers">The ciphers that the node has.</param>
/// <param name="least">The best cipher that all nodes of the run have.</param>
internal sealed class NodeCiphers(RunContext run, ICryptoSuite suite, SealCiphers ciphers, SealCipher least)
    : ICryptoSuite
{
    /// <summary>What a node has as a rule: no two nodes differ.</summary>
    public static SealCiphers All { get; } = SealCiphers.Of(SealCipher.Aes256Gcm, SealCipher.Aegis128L);

    /// <summary>What a lesser node has.</summary>
    public static SealCiphers Lesser { get; } = SealCiphers.Of(SealCipher.Aes256Gcm);

    /// <inheritdoc/>
    public SealCiphers Ciphers => ciphers;

    /// <inheritdoc/>
    public ISealingKey MakeKey(SealCipher cipher, ReadOnlySpan<byte> key)
    {
        if (!ciphers.Contains(cipher)) throw run.Violation("K6", $"a node is to use {cipher}, which it does not have");
        if (cipher < least)
            throw run.Violation("K6", $"a node is to use {cipher}, and all nodes have {least}");
        return suite.MakeKey(cipher, key);
    }

    /// <inheritdoc/>
    public void Mac(ReadOnlySpan<byte> key, ReadOnlySpan<byte> data, Span<byte> mac) => suite.Mac(key, data, mac);

    /// <inheritdoc/>
    public void Expand(ReadOnlySpan<byte> key, ReadOnlySpan<byte> info, Span<byte> derived) =>
        suite.Expand(key, info, derived);

    /// <inheritdoc/>
    public void Fill(Span<byte> secret) => suite.Fill(secret);
}
