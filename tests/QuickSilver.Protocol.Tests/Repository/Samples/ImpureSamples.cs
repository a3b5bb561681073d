using System.Net.Sockets;

namespace QuickSilver.Protocol.Tests.Repository.Samples;

// What protocol code must not do, each once, for the analysis to find. Never run.
#pragma warning disable CA1822, CA1812

internal sealed class UsesThreadInABody
{
    public int Id() => Thread.CurrentThread.ManagedThreadId;
}

internal sealed class UsesTaskAsAnArgument
{
    public int Count(List<Task<int>> tasks) => tasks.Count;
}

internal sealed class UsesDateTimeInAClosure
{
    public Func<long> Later(long since) => () => DateTime.UtcNow.Ticks - since;
}

internal sealed class UsesALock
{
    private int _count;

    public void Count()
    {
        lock (this) _count++;
    }
}

internal sealed class UsesNewGuid
{
    public string Name() => Guid.NewGuid().ToString();
}

internal sealed class UsesStringHash
{
    public int Hash(string text) => text.GetHashCode();
}

internal sealed class UsesTickCount
{
    public long Now() => Environment.TickCount64;
}

internal abstract class UsesSocketInASignature
{
    public abstract void Send(Socket[] sockets);
}

internal sealed class UsesAsync
{
    public async void Start(Func<ValueTask> action) => await action();
}

internal sealed class EnumeratesADictionary
{
    public int Sum(Dictionary<int, int> numbers)
    {
        int sum = 0;
        foreach (KeyValuePair<int, int> each in numbers) sum += each.Value;
        return sum;
    }
}

internal sealed class EnumeratesValues
{
    public int Sum(Dictionary<int, int> numbers) => numbers.Values.Sum();
}

internal sealed class UsesRandomAfterASwitch
{
    public int Next(int kind) => kind switch
    {
        0 => 7,
        1 => 3,
        2 => 9,
        3 => 1,
        4 => 8,
        5 => kind * 3,
        _ => Random.Shared.Next(),
    };
}

internal sealed class IsPure
{
    private readonly Dictionary<int, int> _numbers = [];

    public int Next(string text, int key) =>
        _numbers.TryGetValue(key, out int number) ? number + text.Length : new Guid().ToString().Length;
}
