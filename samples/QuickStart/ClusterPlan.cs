using QuickSilver;

namespace QuickStart;

/// <summary>What to run.</summary>
/// <param name="Groups">Groups, all joined by everybody.</param>
/// <param name="Messages">Messages in all, round-robin over the groups.</param>
/// <param name="Size">Bytes of a message.</param>
/// <param name="Subscribers">Subscriber processes.</param>
/// <param name="Transport">How messages travel.</param>
/// <param name="Drop">Share of the datagrams that each subscriber drops.</param>
/// <param name="Timeout">Longest time it may take.</param>
internal sealed record ClusterPlan(int Groups, int Messages, int Size, int Subscribers, TransportKind Transport, double Drop, TimeSpan Timeout);
