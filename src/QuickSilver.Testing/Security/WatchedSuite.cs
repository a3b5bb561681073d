using System.Buffers.Binary;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Invariants;

namespace QuickSilver.Testing.Security;

/// <summary>
/// K1: in the whole cluster no key and nonce meet a second text, and no key serves two ciphers. Stands before a run's
/// cryptography and remembers what was sealed.
/// </summary>
/// <param name="run">The run.</param>
/// <param name="suite">The cryptography.</param>
internal sealed class WatchedSuite(RunContext run, ICryptoSuite suite) : ICryptoSuite
{
    private readonly Dictionary<UInt128, SealCipher> _ciphers = [];
    private readonly Dictionary<(UInt128 Key, UInt128 Nonce), ulong> _sealed = [];

    /// <summary>Texts sealed.</summary>
    public int Count => _sealed.Count;

    /// <inheritdoc/>
    public SealCiphers Ciphers => suite.Ciphers;

    /// <inheritdoc/>
    public ISealingKey MakeKey(SealCipher cipher, ReadOnlySpan<byte> key)
    {
        UInt128 id = BinaryPrimitives.ReadUInt128LittleEndian(key);
        if (!_ciphers.TryAdd(id, cipher) && _ciphers[id] != cipher)
            throw run.Violation("K1", $"one key serves {_ciphers[id]} and {cipher}");
        return new Key(this, suite.MakeKey(cipher, key), id);
    }

    /// <inheritdoc/>
    public void Mac(ReadOnlySpan<byte> key, ReadOnlySpan<byte> data, Span<byte> mac) => suite.Mac(key, data, mac);

    /// <inheritdoc/>
    public void Expand(ReadOnlySpan<byte> key, ReadOnlySpan<byte> info, Span<byte> derived) =>
        suite.Expand(key, info, derived);

    /// <inheritdoc/>
    public void Fill(Span<byte> secret) => suite.Fill(secret);

    private void OnSealed(
        UInt128 key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> associated, ReadOnlySpan<byte> text)
    {
        Span<byte> wide = stackalloc byte[16];
        wide.Clear();
        nonce.CopyTo(wide);
        UInt128 number = BinaryPrimitives.ReadUInt128LittleEndian(wide);
        ulong content = Hash(Hash(0, associated), text);
        if (_sealed.TryAdd((key, number), content) || _sealed[(key, number)] == content) return;
        throw run.Violation("K1", $"two texts were sealed with nonce {number:x}");
    }

    private static ulong Hash(ulong state, ReadOnlySpan<byte> bytes)
    {
        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..])
            state = SeededRandom.Mix(state ^ BinaryPrimitives.ReadUInt64LittleEndian(bytes)) + 1;
        foreach (byte value in bytes) state = SeededRandom.Mix(state ^ value) + 1;
        return state;
    }

    private sealed class Key(WatchedSuite watch, ISealingKey key, UInt128 id) : ISealingKey
    {
        public void Seal(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> plaintext,
            Span<byte> ciphertext,
            Span<byte> tag)
        {
            watch.OnSealed(id, nonce, associated, plaintext);
            key.Seal(nonce, associated, plaintext, ciphertext, tag);
        }

        public bool TryOpen(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> ciphertext,
            ReadOnlySpan<byte> tag,
            Span<byte> plaintext) =>
            key.TryOpen(nonce, associated, ciphertext, tag, plaintext);

        public void Dispose() => key.Dispose();
    }
}
