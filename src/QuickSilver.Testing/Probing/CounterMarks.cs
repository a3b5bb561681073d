using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Timed;

namespace QuickSilver.Testing.Probing;

/// <summary>
/// The counters of dissemination, recovery and delivery as marks: what is counted is worth reaching. A counter's mark
/// is named as in the code, type and field.
/// </summary>
internal static class CounterMarks
{
    private static readonly FieldInfo[] Fields = [
        .. FieldsOf<DisseminationCounters>(), .. FieldsOf<RecoveryCounters>(), .. FieldsOf<DeliveryCounters>(),
        .. FieldsOf<TimedCounters>()];

    /// <summary>One name for each counter.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. Fields.Select(NameOf)];

    /// <summary>Adds what a node has counted in its life.</summary>
    public static void AddTo(Dictionary<string, ulong> marks, StackParts node)
    {
        object[] rooms = [node.DisseminationCounters, node.RecoveryCounters, node.DeliveryCounters, node.TimedCounters];
        foreach (FieldInfo field in Fields)
        {
            object room = rooms.First(field.DeclaringType!.IsInstanceOfType);
            string name = NameOf(field);
            marks[name] = marks.GetValueOrDefault(name) + (ulong)field.GetValue(room)!;
        }
    }

    private static string NameOf(FieldInfo field) => $"{field.DeclaringType!.Name}.{field.Name}";

    // Gauges are signed or spans of time.
    private static IEnumerable<FieldInfo> FieldsOf<
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields)] T>() =>
        typeof(T).GetFields().Where(field => field.FieldType == typeof(ulong));
}
