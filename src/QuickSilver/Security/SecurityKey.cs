using System.Buffers.Binary;
using System.Security.Cryptography;

namespace QuickSilver.Security;

/// <summary>What is used of a pre-shared key: a key of its own for the proofs of connections, one for those of
/// announcements, and a name that reveals nothing of it. Immutable.</summary>
internal sealed class SecurityKey
{
    /// <summary>Length of <see cref="Id"/> on the wire, in bytes.</summary>
    public const int IdBytes = 8;

    private readonly byte[] _proofKey;
    private readonly byte[] _announcementKey;

    /// <summary>Derives all from the key.</summary>
    public SecurityKey(ReadOnlySpan<byte> key)
    {
        Span<byte> id = stackalloc byte[32];
        _proofKey = GC.AllocateArray<byte>(32, pinned: true);
        _announcementKey = GC.AllocateArray<byte>(32, pinned: true);
        HKDF.DeriveKey(HashAlgorithmName.SHA256, key, _proofKey, default, "qs auth"u8);
        HKDF.DeriveKey(HashAlgorithmName.SHA256, key, _announcementKey, default, "qs announcement"u8);
        HKDF.DeriveKey(HashAlgorithmName.SHA256, key, id, default, "qs key id"u8);
        Id = BinaryPrimitives.ReadUInt64LittleEndian(id);
    }

    /// <summary>Names the key among others.</summary>
    public ulong Id { get; }

    /// <summary>Writes the proof of a transcript: 32 bytes.</summary>
    public void Prove(ReadOnlySpan<byte> transcript, Span<byte> proof) =>
        HMACSHA256.HashData(_proofKey, transcript, proof);

    /// <summary>True when a proof is that of the transcript. Takes the same time for every wrong proof.</summary>
    public bool Verify(ReadOnlySpan<byte> transcript, ReadOnlySpan<byte> proof)
    {
        Span<byte> expected = stackalloc byte[32];
        Prove(transcript, expected);
        return CryptographicOperations.FixedTimeEquals(expected, proof);
    }

    /// <summary>Writes the proof of an announcement: 32 bytes.</summary>
    public void ProveAnnouncement(ReadOnlySpan<byte> announcement, Span<byte> proof) =>
        HMACSHA256.HashData(_announcementKey, announcement, proof);

    /// <summary>True when a proof is that of the announcement. Takes the same time for every wrong proof.</summary>
    public bool VerifyAnnouncement(ReadOnlySpan<byte> announcement, ReadOnlySpan<byte> proof)
    {
        Span<byte> expected = stackalloc byte[32];
        ProveAnnouncement(announcement, expected);
        return CryptographicOperations.FixedTimeEquals(expected, proof);
    }
}
