using System.Buffers.Binary;
using System.Security.Cryptography;
using QuickSilver.Protocol.Security;

namespace QuickSilver.WideArea.Links;

/// <summary>Seals the datagrams of one end of a link, for one life of its gateway. Loop thread only; allocates nothing
/// after construction.</summary>
internal sealed class LinkSealer : IDisposable
{
    private readonly LinkKey _root;
    private readonly ISealingKey _key;
    private readonly byte[] _salt = new byte[SealedLink.SaltBytes];
    private readonly int _site;
    private ulong _counter;

    /// <summary>Draws a salt.</summary>
    public LinkSealer(LinkKey key, int site)
    {
        _root = key;
        _site = site;
        RandomNumberGenerator.Fill(_salt);
        _key = key.Make(_salt);
    }

    /// <summary>Seals a datagram.</summary>
    /// <param name="datagram">The datagram of the link.</param>
    /// <param name="sealedBytes">Longer by <see cref="SealedLink.Overhead"/>.</param>
    public void Seal(ReadOnlySpan<byte> datagram, Span<byte> sealedBytes)
    {
        Span<byte> header = sealedBytes[..SealedLink.HeaderBytes];
        header[0] = SealedLink.Version;
        header[SealedLink.SiteAt] = (byte)_site;
        _salt.CopyTo(header[SealedLink.SaltAt..]);
        BinaryPrimitives.WriteUInt64LittleEndian(header[SealedLink.CounterAt..], ++_counter);
        Span<byte> nonce = stackalloc byte[ICryptoSuite.NonceBytes];
        nonce.Clear();
        BinaryPrimitives.WriteUInt64LittleEndian(nonce, _counter);
        Span<byte> tag = sealedBytes.Slice(SealedLink.HeaderBytes + datagram.Length, SealedLink.TagBytes);
        _key.Seal(
            nonce, header[..SealedLink.GateAt], datagram,
            sealedBytes.Slice(SealedLink.HeaderBytes, datagram.Length), tag);
        BinaryPrimitives.WriteUInt64LittleEndian(header[SealedLink.GateAt..], _root.GateOf(header, tag));
    }

    /// <inheritdoc/>
    public void Dispose() => _key.Dispose();
}
