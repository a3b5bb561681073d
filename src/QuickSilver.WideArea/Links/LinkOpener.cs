using System.Buffers.Binary;
using System.Diagnostics;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Links;

/// <summary>
/// Opens the datagrams that come by the links. Junk is stopped by the gate. A salt that is new costs the derivation of
/// a key; the last few of each site are kept, each with the counters that have been read. A salt of an earlier life
/// opens, and the link then refuses its epoch. Loop thread only.
/// </summary>
internal sealed class LinkOpener(LinkKey[] keys, int self, int sites) : IDisposable
{
    private const int KeptSalts = 4;

    private readonly List<Life>[] _lives = [.. Enumerable.Range(0, sites).Select(static _ => new List<Life>())];

    /// <summary>Opens a datagram in place.</summary>
    /// <param name="datagram">The datagram as it came.</param>
    /// <param name="site">The site that sealed it.</param>
    /// <param name="plaintext">The datagram of the link, in the same memory.</param>
    /// <returns>Why it is dropped; none for one that was opened.</returns>
    public RejectReason TryOpen(Span<byte> datagram, out int site, out Span<byte> plaintext)
    {
        site = 0;
        plaintext = default;
        if (datagram.Length <= SealedLink.Overhead) return RejectReason.TooShort;
        if (datagram[0] != SealedLink.Version) return RejectReason.WrongVersion;
        site = datagram[SealedLink.SiteAt];
        Span<byte> header = datagram[..SealedLink.HeaderBytes];
        Span<byte> tag = datagram[^SealedLink.TagBytes..];
        ulong gate = BinaryPrimitives.ReadUInt64LittleEndian(header[SealedLink.GateAt..]);
        LinkKey? key = null;
        foreach (LinkKey one in keys)
        {
            if (one.GateOf(header, tag) != gate) continue;
            key = one;
            break;
        }
        if (key is null) return RejectReason.Gate;
        if (site >= sites) return RejectReason.WrongCluster;
        // Sent back to where it came from.
        if (site == self) return RejectReason.WrongSource;
        ulong counter = BinaryPrimitives.ReadUInt64LittleEndian(header[SealedLink.CounterAt..]);
        Life life = Find(key, site, header.Slice(SealedLink.SaltAt, SealedLink.SaltBytes), out bool isNew);
        if (counter == 0 || life.Read.Contains(counter)) return End(life, isNew, RejectReason.Replayed);
        Span<byte> nonce = stackalloc byte[ICryptoSuite.NonceBytes];
        nonce.Clear();
        BinaryPrimitives.WriteUInt64LittleEndian(nonce, counter);
        plaintext = datagram[SealedLink.HeaderBytes..^SealedLink.TagBytes];
        if (!life.Key.TryOpen(nonce, header[..SealedLink.GateAt], plaintext, tag, plaintext))
            return End(life, isNew, RejectReason.BadTag);
        life.Read.Mark(counter);
        Keep(site, life);
        return RejectReason.None;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (List<Life> lives in _lives)
        {
            foreach (Life life in lives) life.Key.Dispose();
        }
    }

    private static RejectReason End(Life life, bool isNew, RejectReason reason)
    {
        if (isNew) life.Key.Dispose();
        return reason;
    }

    private Life Find(LinkKey key, int site, ReadOnlySpan<byte> salt, out bool isNew)
    {
        isNew = false;
        foreach (Life life in _lives[site])
        {
            if (ReferenceEquals(life.Root, key) && salt.SequenceEqual(life.Salt)) return life;
        }
        isNew = true;
        return new Life(key, salt.ToArray(), key.Make(salt), new ReplayWindow());
    }

    // The one that was used last is the first.
    private void Keep(int site, Life life)
    {
        List<Life> lives = _lives[site];
        if (lives.Count > 0 && ReferenceEquals(lives[0], life)) return;
        lives.Remove(life);
        lives.Insert(0, life);
        if (lives.Count <= KeptSalts) return;
        Debug.Assert(lives.Count == KeptSalts + 1, "one is added at a time");
        lives[^1].Key.Dispose();
        lives.RemoveAt(KeptSalts);
    }

    private sealed record Life(LinkKey Root, byte[] Salt, ISealingKey Key, ReplayWindow Read);
}
