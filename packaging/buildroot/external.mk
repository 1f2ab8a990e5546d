include $(sort $(wildcard $(BR2_EXTERNAL_VKLOAD_PATH)/package/*/*.mk))
