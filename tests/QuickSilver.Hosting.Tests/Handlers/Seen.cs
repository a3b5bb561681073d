using System.Collections.Concurrent;

namespace QuickSilver.Hosting.Tests.Handlers;

/// <summary>What handlers have got, and which of them were made.</summary>
internal sealed class Seen
{
    public ConcurrentQueue<string> Texts { get; } = new();

    public ConcurrentBag<object> Handlers { get; } = [];
}
