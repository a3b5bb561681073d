using System.Security.Cryptography;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;
using QuickSilver.Security;

namespace QuickSilver.WideArea.Links;

/// <summary>
/// A key of the links: what seals and opens is derived from it. Each end of a link draws a salt when it starts, and
/// seals with a key of that salt, so no two keys count the same nonces. Loop thread only.
/// </summary>
internal sealed class LinkKey : IDisposable
{
    private readonly CipherSuite _suite = new(CipherSuite.OfPlatform);
    private readonly byte[] _root = GC.AllocateArray<byte>(ICryptoSuite.KeyBytes, pinned: true);
    private readonly SipHash _gate;

    private LinkKey(ReadOnlySpan<byte> key)
    {
        _suite.Expand(key, "qs site link"u8, _root);
        Span<byte> gate = stackalloc byte[SipHash.KeyBytes];
        _suite.Expand(key, "qs site gate"u8, gate);
        _gate = new SipHash(gate);
    }

    /// <summary>Reads the keys of options, the one that seals first.</summary>
    /// <exception cref="ArgumentException">A file cannot be used; the message has the path of the option.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.CipherUnavailable"/>.</exception>
    public static LinkKey[] Read(SiteGatewayOptions options)
    {
        if (!AesGcm.IsSupported)
            throw new QuickSilverException(
                ErrorCode.CipherUnavailable,
                "Links between sites are sealed by AES-256-GCM, which this platform lacks.");
        IEnumerable<PreSharedKey> sources = options.KeyFile is { } path ? [PreSharedKey.FromFile(path)] : options.Keys;
        var keys = new List<LinkKey>();
        foreach (PreSharedKey source in sources)
        {
            if (source.Path is null)
            {
                keys.Add(new LinkKey(source.Bytes));
                continue;
            }
            if (KeyFile.TryRead(source.Path, FileTrust.Shared, out IReadOnlyList<byte[]> read) is { } fault)
                throw new ArgumentException($"KeyFile: {fault}.", nameof(options));
            foreach (byte[] one in read)
            {
                keys.Add(new LinkKey(one));
                CryptographicOperations.ZeroMemory(one);
            }
        }
        return [.. keys];
    }

    /// <summary>Makes the key of a salt.</summary>
    public ISealingKey Make(ReadOnlySpan<byte> salt)
    {
        Span<byte> key = stackalloc byte[ICryptoSuite.KeyBytes];
        _suite.Expand(_root, salt, key);
        ISealingKey made = _suite.MakeKey(SealCipher.Aes256Gcm, key);
        CryptographicOperations.ZeroMemory(key);
        return made;
    }

    /// <summary>The gate of a datagram: keeps junk from the dearer check.</summary>
    public ulong GateOf(ReadOnlySpan<byte> header, ReadOnlySpan<byte> tag)
    {
        Span<byte> bytes = stackalloc byte[SealedLink.GateAt + SealedLink.TagBytes];
        header[..SealedLink.GateAt].CopyTo(bytes);
        tag.CopyTo(bytes[SealedLink.GateAt..]);
        return _gate.Of(bytes);
    }

    /// <inheritdoc/>
    public void Dispose() => CryptographicOperations.ZeroMemory(_root);
}
