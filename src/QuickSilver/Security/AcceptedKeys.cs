using System.Security.Cryptography;

namespace QuickSilver.Security;

/// <summary>
/// The pre-shared keys of a process: the first is used, all are accepted. Keys from a file follow the file: a change is
/// read at the next connection, and so is every file after a key was refused. A file that can no longer be read, or to
/// which others have got access, leaves the keys as they were. Any thread.
/// </summary>
internal sealed class AcceptedKeys
{
    private readonly Lock _lock = new();
    private readonly IReadOnlyList<PreSharedKey> _sources;
    private readonly string?[] _stamps;
    private readonly IReadOnlyList<SecurityKey>[] _keys;
    private readonly Action<string>? _onFault;
    private IReadOnlyList<SecurityKey> _all = [];
    private string _reported = "";

    private AcceptedKeys(IReadOnlyList<PreSharedKey> sources, Action<string>? onFault)
    {
        _sources = sources;
        _onFault = onFault;
        _stamps = new string[sources.Count];
        _keys = new IReadOnlyList<SecurityKey>[sources.Count];
    }

    /// <summary>Reads all keys.</summary>
    /// <param name="sources">The keys; at least one.</param>
    /// <param name="onFault">Receives the fault of a file that cannot be read again, once for each fault.</param>
    /// <param name="fault">The fault of the first source that has one; null for none.</param>
    /// <returns>The keys; null after a failure.</returns>
    public static AcceptedKeys? TryRead(
        IReadOnlyList<PreSharedKey> sources, Action<string>? onFault, out string? fault)
    {
        var keys = new AcceptedKeys(sources, onFault);
        for (int index = 0; index < sources.Count; index++)
        {
            fault = keys.TryRead(index);
            if (fault is not null) return null;
        }
        fault = null;
        keys.Collect();
        return keys;
    }

    /// <summary>All keys as of now, the one to use first.</summary>
    public IReadOnlyList<SecurityKey> Current
    {
        get
        {
            lock (_lock)
            {
                bool isChanged = false;
                for (int index = 0; index < _sources.Count; index++)
                {
                    if (_sources[index].Path is not { } path || FileStamp.Of(path) == _stamps[index]) continue;
                    string fault = TryRead(index) ?? "";
                    if (fault.Length > 0 && fault != _reported) _onFault?.Invoke(fault);
                    _reported = fault;
                    isChanged |= fault.Length == 0;
                }
                if (isChanged) Collect();
                return _all;
            }
        }
    }

    /// <summary>Notes that a key was refused: all files are read again, whatever their stamps say.</summary>
    public void OnRefused()
    {
        lock (_lock) Array.Clear(_stamps);
    }

    private void Collect() => _all = [.. _keys.SelectMany(static one => one)];

    private string? TryRead(int index)
    {
        PreSharedKey source = _sources[index];
        if (source.Path is not { } path)
        {
            _keys[index] = [new SecurityKey(source.Bytes)];
            return null;
        }
        // Before the file: a change while it is read is then seen at the next look.
        string stamp = FileStamp.Of(path);
        FileTrust trust = source.IsOfUser ? FileTrust.Own : FileTrust.Shared;
        if (KeyFile.TryRead(path, trust, out IReadOnlyList<byte[]> read) is { } fault) return fault;
        _keys[index] = [.. read.Select(static key => new SecurityKey(key))];
        foreach (byte[] key in read) CryptographicOperations.ZeroMemory(key);
        _stamps[index] = stamp;
        return null;
    }
}
