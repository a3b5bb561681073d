using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// All keys of a node, by region view. Keys are made when they are first needed, and those unused for longest go when
/// there are too many. Core thread only.
/// </summary>
internal sealed class KeyRing
{
    /// <summary>Limit on the keys kept ready; each holds memory outside the heap.</summary>
    public const int MostKeys = 4096;

    private readonly Dictionary<ulong, ViewKeys> _byView = [];
    private readonly List<ViewKeys> _views = [];
    private readonly List<LaneKeys> _lanes = [];
    private readonly Func<ulong, bool> _isNode;
    private int _keys;

    /// <summary>Makes an empty ring.</summary>
    /// <param name="suite">The cryptography.</param>
    /// <param name="isNode">Tells whether a <see cref="NodeNumber.Key"/> is that of a live node known
    /// here.</param>
    public KeyRing(ICryptoSuite suite, Func<ulong, bool> isNode)
    {
        Suite = suite;
        Shared = new SharedKeys(suite);
        _isNode = isNode;
    }

    /// <summary>The cryptography.</summary>
    public ICryptoSuite Suite { get; }

    /// <summary>The cipher of the view that was opened last; none before the first.</summary>
    public SealCipher Newest { get; private set; }

    /// <summary>Keys of texts that several views share.</summary>
    public SharedKeys Shared { get; }

    /// <summary>Uses of keys so far.</summary>
    public ulong Uses { get; set; }

    /// <summary>Views with keys.</summary>
    public int Count => _views.Count;

    /// <summary>True for a live node known here.</summary>
    public bool IsNode(ulong key) => _isNode(key);

    /// <summary>The keys of a view; null when there are none. O(1).</summary>
    public ViewKeys? Find(uint tag, uint counter) => _byView.GetValueOrDefault(KeyOf(tag, counter));

    /// <summary>
    /// Takes the keys of a view that this node learns of. One that it knew before keeps what it has, and its counters.
    /// </summary>
    public void Open(uint tag, uint counter, in ViewSecret secret, ulong self, ulong[] members)
    {
        if (_byView.ContainsKey(KeyOf(tag, counter))) return;
        var view = new ViewKeys(this, secret, self, members) { Number = KeyOf(tag, counter) };
        _byView.Add(KeyOf(tag, counter), view);
        Newest = view.Cipher;
        _views.Add(view);
    }

    /// <summary>Drops the keys of a view that has retired.</summary>
    public void Retire(uint tag, uint counter)
    {
        if (!_byView.Remove(KeyOf(tag, counter), out ViewKeys? view)) return;
        _views.Remove(view);
        view.Close();
        Shared.Retire(view.Number);
    }

    /// <summary>Drops the keys of a node that is gone, in all views.</summary>
    public void Remove(ulong node)
    {
        foreach (ViewKeys view in _views) view.Remove(node);
        Shared.Remove(node);
    }

    /// <summary>Drops all keys.</summary>
    public void Close()
    {
        foreach (ViewKeys view in _views) view.Close();
        _views.Clear();
        _byView.Clear();
        Shared.Close();
    }

    /// <summary>The views with keys, for checks.</summary>
    internal IReadOnlyList<ViewKeys> Views => _views;

    /// <summary>A hash over the counters that have been read, for checks.</summary>
    internal ulong Digest()
    {
        ulong digest = 0;
        foreach (ViewKeys view in _views) digest = (digest * 31) + view.Digest();
        return digest;
    }

    /// <summary>Counts a lane's keys from now on.</summary>
    internal LaneKeys Add(LaneKeys lane)
    {
        _lanes.Add(lane);
        return lane;
    }

    /// <summary>Disposes of a lane's keys.</summary>
    internal void Remove(LaneKeys lane)
    {
        lane.Release();
        _lanes.Remove(lane);
    }

    /// <summary>A lane makes one key more.</summary>
    internal void OnKeyMade()
    {
        if (_keys++ < MostKeys) return;
        List<LaneKeys> byUse = [.. _lanes.Where(static lane => lane.Count > 0).OrderBy(static lane => lane.LastUse)];
        for (int index = 0; index < byUse.Count / 4; index++) byUse[index].Release();
    }

    /// <summary>A lane has disposed of keys.</summary>
    internal void OnKeysReleased(int count) => _keys -= count;

    private static ulong KeyOf(uint tag, uint counter) => ((ulong)tag << 32) | counter;
}
