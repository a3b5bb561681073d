using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// The keys of one region view at one node, and its counters there. They live exactly as long as the node knows the
/// view, so no counter is used twice with one key. Core thread only.
/// </summary>
internal sealed class ViewKeys
{
    private readonly KeyRing _ring;
    private readonly byte[] _secret;
    private readonly ulong[] _members;
    private readonly WriterKeys?[] _byIndex;
    private readonly List<WriterKeys> _others = [];
    private ReplayWindow?[]? _feedback;
    private readonly HashSet<ulong> _gone = [];
    private readonly ulong _self;
    private readonly bool _isMember;

    /// <summary>Takes the secret of a view.</summary>
    /// <param name="ring">The node's keys.</param>
    /// <param name="secret">What the server told; its bytes are copied.</param>
    /// <param name="self">The <see cref="NodeNumber.Key"/> of this node.</param>
    /// <param name="members">The keys of the members, in the order of the view.</param>
    public ViewKeys(KeyRing ring, in ViewSecret secret, ulong self, ulong[] members)
    {
        _ring = ring;
        _self = self;
        _members = members;
        _byIndex = new WriterKeys?[members.Length];
        _isMember = secret.IsMembers;
        Cipher = secret.Cipher;
        TagBytes = SealCiphers.TagBytesOf(Cipher);
        _secret = Pinned(secret.Secret);
        OwnIndex = (ushort)Array.IndexOf(members, self);
        Span<byte> gate = stackalloc byte[SipHash.KeyBytes];
        if (secret.Gate is null) KeySchedule.Gate(ring.Suite, _secret, gate);
        else secret.Gate.CopyTo(gate);
        Gate = new SipHash(gate);
        gate.Clear();
        Own = _isMember ? Derive(self) : new WriterKeys(ring, Cipher, self, Pinned(secret.Secret));
        if (_isMember) _byIndex[OwnIndex] = Own;
    }

    /// <summary>This node's index in the view; <see cref="SealedHeader.NoMember"/> for a sender that is no member.
    /// </summary>
    public ushort OwnIndex { get; }

    /// <summary>Tag and counter of the view.</summary>
    public required ulong Number { get; init; }

    /// <summary>The cipher of the view.</summary>
    public SealCipher Cipher { get; }

    /// <summary>Bytes of a tag of the cipher.</summary>
    public int TagBytes { get; }

    /// <summary>The hash of the gate.</summary>
    public SipHash Gate { get; }

    /// <summary>This node's own keys.</summary>
    public WriterKeys Own { get; }

    /// <summary>This node's packets that were sealed last, to compare those that are sealed again.</summary>
    public SealedTags Sent { get; } = new();

    /// <summary>
    /// The keys of the node that sealed a datagram; null when it is not one that may have, or is gone.
    /// </summary>
    /// <param name="index">Its index, as the datagram says.</param>
    /// <param name="sender">The sender that the datagram names: the writer, when it is no member.</param>
    public WriterKeys? FindWriter(ushort index, ulong sender)
    {
        if (index == SealedHeader.NoMember) return FindOther(sender);
        if (index >= _members.Length) return null;
        WriterKeys? writer = _byIndex[index];
        if (writer is null)
        {
            if (!_isMember || _gone.Contains(_members[index])) return null;
            _byIndex[index] = writer = Derive(_members[index]);
        }
        return writer.IsClosed ? null : writer;
    }

    /// <summary>True for a node that may be a writer: a live member, or a live node of the cluster.</summary>
    /// <param name="index">Its index, as a datagram says.</param>
    /// <param name="sender">The sender that the datagram names.</param>
    public bool MayWrite(ushort index, ulong sender) => index == SealedHeader.NoMember
        ? _isMember && !_gone.Contains(sender) && _ring.IsNode(sender)
        : index < _members.Length && !_gone.Contains(_members[index]);

    /// <summary>The member of an index.</summary>
    public ulong MemberAt(ushort index) => _members[index];

    /// <summary>True for a counter of a member's feedback to this node that was read before.</summary>
    public bool HasReadFeedback(ushort member, ulong counter) => _feedback?[member]?.Contains(counter) ?? false;

    /// <summary>Marks a counter of a member's feedback to this node as read.</summary>
    public void MarkFeedback(ushort member, ulong counter) =>
        ((_feedback ??= new ReplayWindow?[_members.Length])[member] ??= new ReplayWindow()).Mark(counter);

    /// <summary>The keys by which this node speaks to a sender; null when the sender is gone.</summary>
    public WriterKeys? FindAddressee(ulong sender)
    {
        int index = Array.IndexOf(_members, sender);
        return index >= 0 ? FindWriter((ushort)index, sender) : FindOther(sender);
    }

    /// <summary>A hash over the counters that have been read, for checks.</summary>
    internal ulong Digest()
    {
        ulong digest = 17;
        foreach (WriterKeys? writer in _byIndex) digest = (digest * 31) + (writer?.Digest() ?? 0);
        // Keys are made for each sender that passes the gate: only what was read counts.
        foreach (WriterKeys writer in _others)
        {
            ulong read = writer.Digest();
            if (read != 0) digest += SeededRandom.Mix(writer.Key ^ read);
        }
        foreach (ReplayWindow? window in _feedback ?? []) digest = (digest * 31) + (window?.Digest() ?? 0);
        return digest;
    }

    /// <summary>A node is gone from the cluster: its keys are dropped at once, and not made again.</summary>
    public void Remove(ulong key)
    {
        _gone.Add(key);
        int index = Array.IndexOf(_members, key);
        if (index >= 0)
        {
            _byIndex[index]?.Close();
            _byIndex[index] = null;
        }
        int other = _others.FindIndex(writer => writer.Key == key);
        if (other < 0) return;
        _others[other].Close();
        _others.RemoveAt(other);
    }

    /// <summary>Disposes of all keys and zeroes the secrets.</summary>
    public void Close()
    {
        foreach (WriterKeys? writer in _byIndex) writer?.Close();
        foreach (WriterKeys writer in _others) writer.Close();
        Own.Close();
        System.Security.Cryptography.CryptographicOperations.ZeroMemory(_secret);
    }

    private WriterKeys? FindOther(ulong key)
    {
        if (key == _self) return Own;
        foreach (WriterKeys known in _others)
        {
            if (known.Key == key) return known;
        }
        if (!MayWrite(SealedHeader.NoMember, key) || Array.IndexOf(_members, key) >= 0) return null;
        WriterKeys writer = Derive(key);
        _others.Add(writer);
        return writer;
    }

    private WriterKeys Derive(ulong key)
    {
        byte[] secret = GC.AllocateArray<byte>(ICryptoSuite.KeyBytes, pinned: true);
        KeySchedule.Writer(_ring.Suite, _secret, key, secret);
        return new WriterKeys(_ring, Cipher, key, secret);
    }

    private static byte[] Pinned(byte[] secret)
    {
        byte[] copy = GC.AllocateArray<byte>(ICryptoSuite.KeyBytes, pinned: true);
        secret.CopyTo(copy, 0);
        return copy;
    }
}
