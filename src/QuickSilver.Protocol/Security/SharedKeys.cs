using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// Keys of texts that several region views share. A node draws one of its own for each set of views that it sends to,
/// so a key never outlives one of its views. Those of other nodes come with their datagrams. Core thread only.
/// </summary>
/// <param name="suite">The cryptography.</param>
internal sealed class SharedKeys(ICryptoSuite suite)
{
    private const int MostKept = 256;

    private readonly List<SharedKey> _own = [];
    private readonly List<SharedKey> _others = [];

    /// <summary>This node's key for some views. Allocates when there is none yet.</summary>
    /// <param name="cipher">The cipher of the texts: one that the members of all have.</param>
    /// <param name="views">Tag and counter of each.</param>
    public SharedKey OwnFor(SealCipher cipher, ReadOnlySpan<ulong> views)
    {
        for (int index = 0; index < _own.Count; index++)
        {
            SharedKey known = _own[index];
            if (!known.IsFor(views)) continue;
            if (!known.IsUsedUp && known.Cipher == cipher) return known;
            Drop(_own, index);
            break;
        }
        byte[] drawn = GC.AllocateArray<byte>(ICryptoSuite.KeyBytes, pinned: true);
        suite.Fill(drawn);
        return Add(_own, new SharedKey(suite, cipher, drawn, sender: 0, views.ToArray()));
    }

    /// <summary>The key that a sender has sent. Allocates when it is new.</summary>
    public SharedKey Of(ulong sender, SealCipher cipher, ReadOnlySpan<byte> key)
    {
        foreach (SharedKey known in _others)
        {
            if (known.Sender == sender && known.Cipher == cipher && known.Bytes.SequenceEqual(key)) return known;
        }
        byte[] copy = GC.AllocateArray<byte>(ICryptoSuite.KeyBytes, pinned: true);
        key.CopyTo(copy);
        return Add(_others, new SharedKey(suite, cipher, copy, sender, []));
    }

    /// <summary>Drops this node's keys for a view that has retired.</summary>
    public void Retire(ulong view)
    {
        for (int index = _own.Count - 1; index >= 0; index--)
        {
            if (_own[index].Includes(view)) Drop(_own, index);
        }
    }

    /// <summary>
    /// A node is gone from the cluster: its keys are dropped, and this node's, which it may know, are drawn again.
    /// </summary>
    public void Remove(ulong node)
    {
        DropAll(_own);
        for (int index = _others.Count - 1; index >= 0; index--)
        {
            if (_others[index].Sender == node) Drop(_others, index);
        }
    }

    /// <summary>Drops all keys.</summary>
    public void Close()
    {
        DropAll(_own);
        DropAll(_others);
    }

    private static SharedKey Add(List<SharedKey> keys, SharedKey key)
    {
        if (keys.Count == MostKept) Drop(keys, 0);
        keys.Add(key);
        return key;
    }

    private static void DropAll(List<SharedKey> keys)
    {
        while (keys.Count > 0) Drop(keys, keys.Count - 1);
    }

    private static void Drop(List<SharedKey> keys, int index)
    {
        keys[index].Close();
        keys.RemoveAt(index);
    }
}
