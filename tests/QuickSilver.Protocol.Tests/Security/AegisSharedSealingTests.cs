using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Security;

public sealed class AegisSharedSealingTests() : SharedSealingTests(SealCipher.Aegis128L, SealCipher.Aegis128L);
